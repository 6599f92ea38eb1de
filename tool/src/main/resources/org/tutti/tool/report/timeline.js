"use strict";

/*
 * The timeline of a report: a row for each rank, its calls over time. Calls are typed arrays, sorted by their begins in
 * each row. A picture adds the time of the visible calls up for each column of pixels, and its effort therefore depends
 * on the number of visible calls, not on their length. It is written pixel by pixel into an image.
 */
(() => {
  const WAITING = 0; // the series of waiting
  const AXIS_HEIGHT = 26;
  const LABEL_WIDTH = 44;
  const ROWS_HEIGHT = 560;
  const ROW_HEIGHT_MIN = 4;
  const ROW_HEIGHT_MAX = 34;
  const MESSAGES_MAX = 1500;
  const SPAN_NANOS_MIN = 100;
  const ZOOM_STEP = 1.25;
  const FONT = "12px system-ui, 'DejaVu Sans', sans-serif";

  /** Reads numbers that Packing.java has packed. */
  function reader(bytes) {
    let at = 0;
    return () => {
      let byte = bytes[at++];
      if (byte < 128) {
        return byte;
      }
      let value = byte & 127;
      let factor = 128;
      do {
        byte = bytes[at++];
        value += (byte & 127) * factor;
        factor *= 128;
      } while (byte >= 128);
      return value;
    };
  }

  function unpackCalls(bytes, counts) {
    const size = counts.reduce((sum, count) => sum + count, 0);
    const calls = {
      row: new Uint16Array(size), begin: new Float64Array(size), end: new Float64Array(size),
      reach: new Float64Array(size), // the latest end of this call and those before it in the row
      waiting: new Float64Array(size), site: new Uint16Array(size), peer: new Int32Array(size),
      bytes: new Float64Array(size), starts: [0],
    };
    const next = reader(bytes);
    let call = 0;
    counts.forEach((count, row) => {
      let begin = 0;
      let reach = 0;
      for (const end = call + count; call < end; call++) {
        begin += next();
        calls.row[call] = row;
        calls.begin[call] = begin;
        calls.end[call] = begin + next();
        calls.reach[call] = reach = Math.max(reach, calls.end[call]);
        calls.waiting[call] = next();
        calls.site[call] = next();
        calls.peer[call] = next() - 1;
        calls.bytes[call] = next();
      }
      calls.starts.push(call);
    });
    return calls;
  }

  function unpackMessages(bytes, count) {
    const messages = {send: new Int32Array(count), receive: new Int32Array(count)};
    const next = reader(bytes);
    for (let i = 0; i < count; i++) {
      messages.send[i] = next();
      messages.receive[i] = next();
    }
    return messages;
  }

  /** The first index from `low` to `high` at which ascending values are at least, or above, a limit. */
  function search(values, low, high, limit) {
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (values[middle] < limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** A colour as a pixel of an image. */
  function pixel(colour) {
    const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
  }

  /** A step of the axis: 1, 2 or 5 times a power of ten. */
  function axisStep(span, marks) {
    const power = 10 ** Math.floor(Math.log10(span / marks));
    return [1, 2, 5, 10].map(factor => factor * power).find(step => span / step <= marks);
  }

  tutti.kind("timeline", (plot, data) => {
    const canvas = tutti.element("canvas", "timeline");
    const context = canvas.getContext("2d");
    const tip = tutti.tip(plot);
    const rows = data.ranks.length;
    const rowHeight = Math.max(ROW_HEIGHT_MIN, Math.min(ROW_HEIGHT_MAX, Math.floor(ROWS_HEIGHT / Math.max(1, rows))));
    const gap = rowHeight > 10 ? 4 : 1;
    const view = {from: 0, to: data.nanos};
    let calls = null;
    let messages = null;
    let hidden = new Set();
    let colours = [];
    let drag = null;
    let scheduled = false;

    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", data.title);
    plot.prepend(canvas);

    function readColours() {
      colours = data.series.map(series => pixel(tutti.look(series.name).colour));
    }

    const plotWidth = () => canvas.clientWidth - LABEL_WIDTH;
    const timeAt = x => view.from + (x - LABEL_WIDTH) / plotWidth() * (view.to - view.from);
    const xOf = time => LABEL_WIDTH + (time - view.from) / (view.to - view.from) * plotWidth();

    // ---- drawing

    function schedule() {
      if (!scheduled) {
        scheduled = true;
        requestAnimationFrame(() => {
          scheduled = false;
          draw();
        });
      }
    }

    function resize() {
      const scale = devicePixelRatio || 1;
      const height = AXIS_HEIGHT + rows * rowHeight;
      canvas.style.height = height + "px";
      canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
      canvas.height = Math.round(height * scale);
      draw();
    }

    function draw() {
      if (calls === null || plotWidth() <= 0) {
        return;
      }
      const begun = performance.now();
      const scale = devicePixelRatio || 1;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      const left = Math.round(LABEL_WIDTH * scale);
      const width = canvas.width - left;
      const image = context.createImageData(width, Math.round(rows * rowHeight * scale));
      const pixels = new Uint32Array(image.data.buffer);
      const shown = data.series.map(series => !hidden.has(series.name));
      const shares = new Float32Array(width * data.series.length);
      for (let row = 0; row < rows; row++) {
        addShares(row, width, shares, shown);
        paintRow(pixels, width, Math.round(row * rowHeight * scale), Math.round((rowHeight - gap) * scale), shares);
      }
      context.putImageData(image, left, Math.round(AXIS_HEIGHT * scale));
      context.scale(scale, scale);
      drawAxis();
      drawMessages();
      plot.dataset.drawn = Number(plot.dataset.drawn ?? 0) + 1;
      performance.measure("timeline draw", {start: begun, end: performance.now()});
    }

    /** Adds the share of each series up for each column of pixels of a row. */
    function addShares(row, width, shares, shown) {
      shares.fill(0);
      const series = data.series.length;
      const columnsPerNano = width / (view.to - view.from);
      const first = search(calls.reach, calls.starts[row], calls.starts[row + 1], view.from);
      const last = search(calls.begin, first, calls.starts[row + 1], view.to);
      for (let call = first; call < last; call++) {
        const end = calls.end[call];
        const site = data.sites[calls.site[call]];
        if (end < view.from || !shown[site.series]) {
          continue;
        }
        const begin = calls.begin[call];
        const waiting = shown[WAITING] && end > begin ? Math.min(1, calls.waiting[call] / (end - begin)) : 0;
        const part = site.blocks ? 1 : 0.4; // non-blocking calls leave room for the calls that block meanwhile
        let from = (begin - view.from) * columnsPerNano;
        const to = Math.min(width, (end - view.from) * columnsPerNano);
        from = Math.max(0, from);
        for (let column = Math.floor(from); column < to; column++) {
          const share = part * (Math.min(column + 1, to) - Math.max(column, from));
          shares[column * series + WAITING] += share * waiting;
          shares[column * series + site.series] += share * (1 - waiting);
        }
      }
    }

    function paintRow(pixels, width, top, height, shares) {
      const series = data.series.length;
      for (let column = 0; column < width; column++) {
        let bottom = height;
        let sum = 0;
        for (let each = 0; each < series; each++) {
          sum += shares[column * series + each];
          const upTo = Math.max(0, Math.round(height * (1 - Math.min(1, sum))));
          for (let y = upTo; y < bottom; y++) {
            pixels[(top + y) * width + column] = colours[each];
          }
          bottom = Math.min(bottom, upTo);
        }
      }
    }

    function drawAxis() {
      const span = view.to - view.from;
      const step = axisStep(span, Math.max(2, plotWidth() / 110));
      context.font = FONT;
      context.textBaseline = "middle";
      context.fillStyle = tutti.colour("--quiet");
      context.strokeStyle = tutti.colour("--grid");
      context.lineWidth = 1;
      context.textAlign = "center";
      for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
        const x = xOf(time);
        context.beginPath();
        context.moveTo(x, AXIS_HEIGHT - 6);
        context.lineTo(x, AXIS_HEIGHT - 1);
        context.stroke();
        context.fillText(axisText(time, step), Math.max(LABEL_WIDTH, Math.min(x, canvas.clientWidth - 30)), 9);
      }
      context.textAlign = "right";
      const every = Math.max(1, Math.ceil(14 / rowHeight));
      for (let row = 0; row < rows; row += every) {
        context.fillText(data.ranks[row], LABEL_WIDTH - 8, AXIS_HEIGHT + row * rowHeight + (rowHeight - gap) / 2);
      }
    }

    /** A time with as many digits as steps need. */
    function axisText(time, step) {
      const [unit, nanos] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, each]) => step >= each / 1000);
      const digits = Math.max(0, Math.ceil(-Math.log10(step / nanos) - 1e-9));
      return (time / nanos).toLocaleString("en", {minimumFractionDigits: digits, maximumFractionDigits: digits})
        + " " + unit;
    }

    function drawMessages() {
      if (messages.send.length === 0) {
        return;
      }
      const visible = [];
      for (let i = 0; i < messages.send.length; i++) {
        if (calls.begin[messages.send[i]] > view.to) {
          break;
        }
        if (calls.end[messages.receive[i]] >= view.from) {
          visible.push(i);
          if (visible.length > MESSAGES_MAX) {
            return;
          }
        }
      }
      context.save();
      context.beginPath();
      context.rect(LABEL_WIDTH, AXIS_HEIGHT, plotWidth(), rows * rowHeight);
      context.clip();
      context.strokeStyle = tutti.colour("--text");
      context.globalAlpha = 0.6;
      context.beginPath();
      for (const i of visible) {
        const [send, receive] = [messages.send[i], messages.receive[i]];
        context.moveTo(xOf(calls.begin[send]), middle(calls.row[send]));
        context.lineTo(xOf(calls.end[receive]), middle(calls.row[receive]));
      }
      context.stroke();
      context.restore();
    }

    const middle = row => AXIS_HEIGHT + row * rowHeight + (rowHeight - gap) / 2;

    // ---- moving

    function show(from, to) {
      const span = Math.max(Math.min(SPAN_NANOS_MIN, data.nanos), Math.min(data.nanos, to - from));
      view.from = Math.max(0, Math.min(data.nanos - span, from));
      view.to = view.from + span;
      tip.hide();
      schedule();
    }

    function zoom(factor, x) {
      const time = timeAt(x);
      show(time - (time - view.from) * factor, time + (view.to - time) * factor);
    }

    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      zoom(event.deltaY > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, Math.max(LABEL_WIDTH, event.offsetX));
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => {
      drag = {x: event.offsetX, from: view.from, to: view.to};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", event => {
      if (drag === null) {
        point(event.offsetX, event.offsetY);
        return;
      }
      const moved = (event.offsetX - drag.x) / plotWidth() * (drag.to - drag.from);
      show(drag.from - moved, drag.to - moved);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, () => {
        drag = null;
      });
    }
    canvas.addEventListener("pointerleave", () => tip.hide());
    canvas.addEventListener("dblclick", () => show(0, data.nanos));
    canvas.addEventListener("keydown", event => {
      const step = (view.to - view.from) / 10;
      const centre = LABEL_WIDTH + plotWidth() / 2;
      const actions = {
        "+": () => zoom(1 / ZOOM_STEP, centre), "-": () => zoom(ZOOM_STEP, centre), "0": () => show(0, data.nanos),
        ArrowLeft: () => show(view.from - step, view.to - step),
        ArrowRight: () => show(view.from + step, view.to + step),
      };
      if (actions[event.key] !== undefined) {
        event.preventDefault();
        actions[event.key]();
      }
    });

    // ---- the call under the pointer

    function point(x, y) {
      const row = Math.floor((y - AXIS_HEIGHT) / rowHeight);
      const call = calls === null || row < 0 || row >= rows || x < LABEL_WIDTH ? -1 : callAt(row, timeAt(x));
      if (call < 0) {
        tip.hide();
        return;
      }
      const site = data.sites[calls.site[call]];
      const lines = [["rank", String(data.ranks[row])], ["begin", tutti.text(calls.begin[call], "ns")],
        ["duration", tutti.text(calls.end[call] - calls.begin[call], "ns")],
        ["waiting", tutti.text(calls.waiting[call], "ns")], ["length", tutti.text(calls.bytes[call], "bytes")]];
      if (calls.peer[call] >= 0) {
        lines.push([site.peer, String(calls.peer[call])]);
      }
      if (site.where !== "") {
        lines.push(["on", site.where]);
      }
      tip.show(x, y, site.name, lines);
    }

    /** The last call of a row that has begun at a time, if it is closer than two pixels. */
    function callAt(row, time) {
      const near = 2 * (view.to - view.from) / plotWidth();
      const [start, end] = [calls.starts[row], calls.starts[row + 1]];
      const first = search(calls.reach, start, end, time - near);
      for (let call = search(calls.begin, first, end, time + near) - 1; call >= first; call--) {
        if (calls.end[call] >= time - near) {
          return call;
        }
      }
      return -1;
    }

    async function load() {
      const [packedCalls, packedMessages] = await Promise.all([tutti.bytes("calls"), tutti.bytes("messages")]);
      calls = unpackCalls(packedCalls, data.counts);
      messages = unpackMessages(packedMessages, data.messages);
      readColours();
      resize();
      performance.measure("timeline open", {start: 0, end: performance.now()}); // from the begin of the navigation
      plot.dataset.ready = "";
    }

    load();
    return {
      resize,
      recolour() {
        readColours();
        draw();
      },
      toggle(names) {
        hidden = names;
        draw();
      },
    };
  });
})();
