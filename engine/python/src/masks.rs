//! Masks of legal actions as numpy arrays.

use ::smalt_chess::Position;
use ::smalt_chess::actions::{ACTIONS, MASK_WORDS, write_legal_mask, write_legal_masks};
use numpy::{Element, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

use crate::board::Board;
use crate::value_error;

fn positions(boards: &Bound<'_, PyAny>) -> PyResult<Vec<Position>> {
    let mut positions = Vec::with_capacity(boards.len().unwrap_or(0));
    for board in boards.try_iter()? {
        positions.push(*board?.cast::<Board>()?.try_borrow()?.position.as_ref());
    }
    Ok(positions)
}

/// The given array if it has the right shape, else a new one.
fn output<'py, T: Element>(
    py: Python<'py>,
    out: Option<Bound<'py, PyArray2<T>>>,
    shape: [usize; 2],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    match out {
        None => Ok(PyArray2::zeros(py, shape, false)),
        Some(out) if out.shape() == shape && out.is_c_contiguous() => Ok(out),
        Some(_) => Err(value_error(format!("out must be contiguous (C order) and have the shape {shape:?}"))),
    }
}

/// Raises `ImportError` without numpy: making an array would panic.
fn require_numpy(py: Python<'_>) -> PyResult<()> {
    py.import("numpy").map(drop).map_err(|cause| {
        let error = PyImportError::new_err("masks are numpy arrays: install numpy (pip install numpy)");
        error.set_cause(py, Some(cause));
        error
    })
}

#[pyfunction]
#[pyo3(signature = (boards, out=None))]
pub(crate) fn legal_mask_bits<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    out: Option<Bound<'py, PyArray2<u64>>>,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let positions = positions(boards)?;
    require_numpy(py)?;
    let array = output(py, out, [positions.len(), MASK_WORDS])?;
    let mut writable = array.try_readwrite()?;
    let (masks, _) = writable.as_slice_mut()?.as_chunks_mut::<MASK_WORDS>();
    py.detach(|| write_legal_masks(&positions, masks));
    drop(writable);
    Ok(array)
}

#[pyfunction]
#[pyo3(signature = (boards, out=None))]
pub(crate) fn legal_masks<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    out: Option<Bound<'py, PyArray2<bool>>>,
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let positions = positions(boards)?;
    require_numpy(py)?;
    let array = output(py, out, [positions.len(), ACTIONS])?;
    let mut writable = array.try_readwrite()?;
    let rows = writable.as_slice_mut()?.chunks_exact_mut(ACTIONS);
    py.detach(|| {
        let mut mask = [0; MASK_WORDS];
        for (position, row) in positions.iter().zip(rows) {
            write_legal_mask(position, &mut mask);
            row.fill(false);
            for (plane, mut origins) in mask.into_iter().enumerate() {
                while origins != 0 {
                    row[64 * plane + origins.trailing_zeros() as usize] = true;
                    origins &= origins - 1;
                }
            }
        }
    });
    drop(writable);
    Ok(array)
}
