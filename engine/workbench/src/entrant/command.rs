//! The command line of an engine from its settings.

use std::path::Path;

use smalt_driver::EngineCommand;
use smalt_driver::process::StderrPolicy;

use super::{EngineSettings, Program};

impl EngineSettings {
    /// The command that starts `program` with these arguments, working folder, initial lines and file of standard
    /// error. The built-in engine is `own_program`, started as an engine.
    #[must_use]
    pub fn command_of(&self, program: &Program, own_program: &Path) -> EngineCommand {
        let command = match program {
            Program::Builtin => EngineCommand::new(own_program).argument("engine"),
            Program::Command(path) => EngineCommand::new(path),
        };
        let mut command = command.arguments(&self.args).initial_lines(&self.initial_lines());
        if let Some(file) = &self.stderr {
            command.stderr = StderrPolicy::File(file.clone());
        }
        command.directory.clone_from(&self.dir);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entrant::Registry;

    fn command_of(words: &str) -> EngineCommand {
        let settings: EngineSettings = Registry::shipped().parse_engine(words).unwrap().try_into().unwrap();
        settings.command_of(&settings.program().unwrap(), Path::new("/bin/smalt"))
    }

    #[test]
    fn every_setting_of_the_process_reaches_the_command() {
        let words = "cmd=./mine args=-x dir=/tmp stderr=log.txt 'initstr=hello\\nthere'";
        let expected = EngineCommand::new("./mine")
            .argument("-x")
            .directory("/tmp")
            .stderr(StderrPolicy::File("log.txt".into()))
            .initial_lines("hello\nthere");
        assert_eq!(command_of(words), expected);
    }

    #[test]
    fn the_built_in_engine_takes_arguments_too() {
        let expected = EngineCommand::new("/bin/smalt").arguments(["engine", "-x"]);
        assert_eq!(command_of("cmd=builtin args=-x"), expected);
    }
}
