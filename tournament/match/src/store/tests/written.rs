//! Whatever a record can hold is written so that it can be read.

use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_is_written_is_read(
        numbers in (any::<u64>(), any::<Option<u64>>(), any::<Option<u64>>(), 1..=u64::MAX, any::<u64>()),
        small in any::<(u32, u32, u32, Option<u32>, Option<u16>)>(),
        texts in any::<[String; 4]>(),
        // The clock of Windows ends with the year 30828.
        years in 0..28_000_u64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(&folder.path().join("run.db"), &run()).unwrap();
        let (long, white_memory, black_memory, speed, time) = numbers;
        let [words, line, name, fen] = texts;
        let mut game = record(0, Outcome::Win(Color::White));
        game.game = ScheduledGame {
            pair: small.0.min(u32::MAX - 1),
            round: small.1.min(u32::MAX - 1),
            opening: small.2 as usize,
            ..game.game
        };
        game.fen = Some(fen);
        game.started = UNIX_EPOCH + Duration::from_secs(years * 366 * 24 * 3600);
        game.duration = Duration::new(long, 999_999_999);
        game.peak_memory = [white_memory, black_memory];
        game.machine = Some(Machine { name: name.clone(), speed: NonZeroU64::new(speed).unwrap() });
        let search = game.plies[1].search.as_mut().unwrap();
        (search.nodes, search.tbhits, search.depth) = (Some(long), white_memory, small.3);
        (search.elapsed, search.left) = (Duration::new(time, 1), Some(Duration::new(long, 1)));
        search.lines = [line.clone().into_boxed_str()].into();
        let fault = game.fault.as_mut().unwrap();
        (fault.words, fault.transcript) = (words.clone(), vec![line.clone()]);
        fault.overrun = Some(Duration::new(time, 1));
        store.save(&game).unwrap();
        store.save_fault(&EngineFault { entrant: 1, name: name.clone(), words: words.clone(), transcript: vec![line] }).unwrap();
        let engine = |sha256: &str| BinaryReport { name: words.clone(), author: words.clone(), sha256: sha256.to_owned() };
        let machine = MachineReport {
            name,
            program: words.clone(),
            cpu: words.clone(),
            cores: small.0.min(u32::MAX - 1),
            slots: small.1.min(u32::MAX - 1),
            speed,
            engines: vec![engine("a"), engine("b")],
        };
        store.put_machine(&machine).unwrap();
        store.begin_session(time as usize).unwrap();
        store.update_session(long as usize, true).unwrap();
        store.save_disqualification(1, &words).unwrap();
        store.verify().unwrap();
        let read = &games(&store)[0];
        prop_assert_eq!(&read.fen, &game.fen);
        prop_assert_eq!(read.machine.as_ref().unwrap().speed.get(), speed.min(i64::MAX.cast_unsigned()));
        prop_assert_eq!(store.machines().unwrap().len(), 1);
        prop_assert_eq!(store.last_faults(9).unwrap().0, 2);
        store.latest_session().unwrap().unwrap();
    }
}
