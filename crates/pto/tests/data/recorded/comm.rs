//! Communication. The cases were recorded on one rank, which sends to itself.

use super::arguments::*;
use super::recording::{Given, Recording};
use serde_json::Value;

impl Recording {
    /// A call whose recorded name is `COMM_` and this.
    pub fn communicate(&mut self, name: &str, step: &Value, used: &mut Vec<u64>) -> Unless<()> {
        let args = step["args"].as_array().ok_or("no arguments")?;
        match (name, args.as_slice()) {
            ("TPUT" | "TGET", [dst, src, tile]) => {
                let (dst, src) = (self.view(dst, None, used)?, self.view(src, None, used)?);
                let (tile, ty) = self.tile(tile)?.ok_or("a tile nowhere")?;
                let types = format!("{}, {}, {ty}", dst.1, src.1);
                let name = name.to_ascii_lowercase();
                self.line(&format!("pto.comm.{name}({}, {}, buf({tile}) : {types})", dst.0, src.0));
                Ok(())
            }
            // The rank that some name is this one.
            ("TPUT_ASYNC" | "TGET_ASYNC", [dst, src, _, ..]) => {
                let (dst, src) = (self.view(&in_one_row(dst)?, None, used)?, self.view(&in_one_row(src)?, None, used)?);
                self.copy_in_background(&name.to_ascii_lowercase(), &dst, &src);
                Ok(())
            }
            ("TBROADCAST", [_, src, tile]) => self.broadcast(src, tile, used),
            ("TREDUCE", _) => Err("a reduction of data that was not recorded".into()),
            _ => Err(format!("COMM_{name}")),
        }
    }

    fn copy_in_background(&mut self, name: &str, dst: &(String, String), src: &(String, String)) {
        let workspace = self.param("k", "!pto.ptr<i8>", Given::Memory(vec![0; 1 << 14]));
        let workspace = self.params[workspace].0.clone();
        let [scratch, session, event, done] = ["%t", "%s", "%e", "%d"].map(|stem| self.name(stem));
        let tile = "!pto.tile_buf<vec, 1x256xi8>";
        self.line(&format!("{scratch} = pto.alloc_tile : {tile}"));
        self.line(&format!(
            "{session} = pto.comm.build_async_session({scratch}, %{workspace} : {tile}, !pto.ptr<i8>) -> !pto.async_session"
        ));
        self.line(&format!(
            "{event} = pto.comm.{name}({}, {}, {session} : {}, {}, !pto.async_session) -> !pto.async_event",
            dst.0, src.0, dst.1, src.1
        ));
        self.line(&format!(
            "{done} = pto.comm.wait_async_event({event}, {session} : !pto.async_event, !pto.async_session) -> i1"
        ));
    }

    /// To a group of one, whose memory the recording does not name.
    fn broadcast(&mut self, src: &Value, tile: &Value, used: &mut Vec<u64>) -> Unless<()> {
        let mut there = src.clone();
        let free = self.buffers.keys().find(|id| **id < 1 << 32 && !used.contains(*id) && src["at"]["buf"] != **id);
        there["at"]["buf"] = Value::from(*free.ok_or("no memory for the group")?);
        let (to, from) = (self.view(&there, None, used)?, self.view(src, None, used)?);
        let mut staged = tile.clone();
        staged["at"] = serde_json::json!({ "space": "ub", "addr": 0 });
        let (tile, ty) = self.tile(&staged)?.ok_or("a tile nowhere")?;
        self.line(&format!(
            "pto.comm.tbroadcast({}, recv({tile}), group({}) : {}, {ty}, {}) {{root = 0 : i32}}",
            from.0, to.0, from.1, to.1
        ));
        self.sent = Some(self.buffer(&there["at"])?.0);
        Ok(())
    }
}

/// A window without gaps, as one row. Strides of extents of one, which lead nowhere, are of no use in the cases.
fn in_one_row(view: &Value) -> Unless<Value> {
    let list = |v: &Value| v.as_array().into_iter().flatten().filter_map(Value::as_u64).collect::<Vec<u64>>();
    let (shape, strides) = (list(&view["shape"]), list(&view["stride"]));
    let mut count = 1;
    for (extent, stride) in shape.iter().zip(&strides).rev() {
        if *extent > 1 && *stride != count {
            return Err("a copy with gaps".into());
        }
        count *= extent;
    }
    let mut row = view.clone();
    row["shape"] = serde_json::json!([1, 1, 1, 1, count]);
    row["stride"] = serde_json::json!([count, count, count, count, 1]);
    Ok(row)
}
