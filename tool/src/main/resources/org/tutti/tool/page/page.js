"use strict";

/*
 * The scripts of a page: tables that sort, one legend for all charts, and charts that follow the colour scheme.
 *
 * Page.java writes a <figure data-kind="…"> for each figure, with its data as JSON. A script says by tutti.kind(name,
 * draw) how a kind is drawn: draw(plot, data) fills the element `plot` and returns an object with the optional methods
 * resize(width), recolour() and toggle(hiddenNames). Texts reach the document by textContent alone.
 */
const tutti = (() => {
  const SERIES_COLOURS = 8;
  const DASHES = [[], [7, 3], [2, 3]];
  const OPACITIES = [1, 0.35, 0.12];
  const kinds = new Map();
  const drawn = [];
  const seriesNames = [];
  const hidden = new Set();
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  // ---- texts

  /** A number with up to four significant digits. */
  function number(value) {
    if (value === null || value === undefined) {
      return "–";
    }
    const size = Math.abs(value);
    if (size >= 1000 || Number.isInteger(value)) {
      return Math.round(value).toLocaleString("en");
    }
    return String(Number(value.toPrecision(size < 0.1 ? 2 : 3)));
  }

  /** The number in the largest unit in which it is at least one. */
  function scaled(value, step, units) {
    let unit = 0;
    while (Math.abs(value) >= step && unit < units.length - 1) {
      value /= step;
      unit++;
    }
    return number(value) + " " + units[unit];
  }

  /** A figure with its unit: "bytes" and "ns" are scaled, "ratio" has a sign of multiplication. */
  function text(value, unit) {
    if (value === null || value === undefined) {
      return "–";
    }
    switch (unit) {
      case "bytes": return scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
      case "ns": return scaled(value, 1000, ["ns", "µs", "ms", "s"]);
      case "ratio": return number(value) + " ×";
      case "": return number(value);
      default: return number(value) + " " + unit;
    }
  }

  /** A number of bytes as the command line takes it, such as 64k. */
  function size(bytes) {
    return bytes >= 1 << 20 && bytes % (1 << 20) === 0 ? bytes / (1 << 20) + "m"
      : bytes >= 1 << 10 && bytes % (1 << 10) === 0 ? bytes / (1 << 10) + "k" : String(bytes);
  }

  function element(name, className, content) {
    const made = document.createElement(name);
    if (className) {
      made.className = className;
    }
    if (content !== undefined) {
      made.textContent = content;
    }
    return made;
  }

  // ---- colours

  const probe = element("span");

  /** The colour of a CSS variable in the current scheme, as canvases take it. */
  function colour(variable) {
    probe.style.color = "var(" + variable + ")";
    return getComputedStyle(probe).color;
  }

  /**
   * The looks of a series, the same in all charts of the page: a colour, and dashes and a paler filling where a colour
   * comes again.
   */
  function look(name) {
    let index = seriesNames.indexOf(name);
    if (index < 0) {
      index = seriesNames.push(name) - 1;
    }
    const own = colour("--series-" + index % SERIES_COLOURS);
    const turn = Math.floor(index / SERIES_COLOURS) % DASHES.length;
    return {
      colour: own,
      fill: own.replace("rgb(", "rgba(").replace(")", ", " + OPACITIES[turn] + ")"),
      dash: DASHES[turn],
    };
  }

  function recolour() {
    drawn.forEach(figure => figure.recolour?.());
    drawLegends();
  }

  function isDark() {
    return (root.dataset.scheme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
  }

  function startSwitch() {
    const button = document.getElementById("scheme");
    const name = () => {
      button.textContent = isDark() ? "Light" : "Dark";
    };
    button.addEventListener("click", () => {
      root.dataset.scheme = isDark() ? "light" : "dark";
      name();
      recolour();
    });
    prefersDark.addEventListener("change", () => {
      name();
      recolour();
    });
    name();
  }

  // ---- the legend

  function drawLegends() {
    document.querySelectorAll(".legend button").forEach(button => {
      const canvas = button.querySelector("canvas");
      const context = canvas.getContext("2d");
      const series = look(button.dataset.series);
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.strokeStyle = series.colour;
      context.lineWidth = 5;
      context.setLineDash(series.dash);
      context.beginPath();
      context.moveTo(0, canvas.height / 2);
      context.lineTo(canvas.width, canvas.height / 2);
      context.stroke();
      button.setAttribute("aria-pressed", String(!hidden.has(button.dataset.series)));
    });
  }

  function startLegends() {
    document.querySelectorAll(".legend").forEach(legend => {
      if (seriesNames.length < 2) {
        legend.remove();
        return;
      }
      for (const name of seriesNames) {
        const button = element("button");
        const canvas = element("canvas");
        button.type = "button";
        button.dataset.series = name;
        button.title = "Hide or show in all charts";
        canvas.width = 24;
        canvas.height = 10;
        button.append(canvas, element("span", "", name));
        button.addEventListener("click", () => {
          if (!hidden.delete(name)) {
            hidden.add(name);
          }
          drawLegends();
          drawn.forEach(figure => figure.toggle?.(hidden));
        });
        legend.append(button);
      }
    });
    drawLegends();
  }

  // ---- tables

  /** What a cell sorts by: a number, a text, or null for a cell without a value. */
  function key(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value !== undefined ? Number(cell.dataset.value)
      : cell.classList.contains("number") ? null : cell.textContent;
  }

  function compare(one, other) {
    return typeof one === "number" && typeof other === "number" ? one - other
      : String(one).localeCompare(String(other), "en", {numeric: true});
  }

  function sort(table, column) {
    const header = table.tHead.rows[0].cells[column];
    const direction = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const cell of table.tHead.rows[0].cells) {
      cell.removeAttribute("aria-sort");
    }
    header.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    const rows = Array.from(table.tBodies[0].rows, row => ({row, key: key(row, column)}));
    rows.sort((one, other) => one.key === null || other.key === null
      ? (one.key === null) - (other.key === null) // cells without a value stay below
      : direction * compare(one.key, other.key));
    table.tBodies[0].replaceChildren(...rows.map(each => each.row));
  }

  function startTables() {
    document.querySelectorAll("table").forEach(table => {
      Array.from(table.tHead.rows[0].cells).forEach((header, column) =>
        header.querySelector("button").addEventListener("click", () => sort(table, column)));
    });
  }

  // ---- figures

  function kind(name, draw) {
    kinds.set(name, draw);
  }

  /** The bytes that Page.data wrote under a name, as a promise of a Uint8Array. */
  async function bytes(name) {
    const coded = atob(document.getElementById("data-" + name).textContent);
    const packed = Uint8Array.from(coded, character => character.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  }

  /** A box with figures beside the pointer: show(x, y, title, [[name, text], …]) and hide(). */
  function tip(plot) {
    const box = element("div", "tip");
    box.hidden = true;
    plot.append(box);
    return {
      show(x, y, title, lines) {
        box.replaceChildren(element("b", "", title), ...lines.map(([name, value]) => {
          const line = element("span");
          line.append(element("span", "", name), element("span", "", value));
          return line;
        }));
        box.hidden = false;
        const left = x + 16 + box.offsetWidth > plot.clientWidth ? x - 16 - box.offsetWidth : x + 16;
        box.style.left = Math.max(0, left) + "px";
        box.style.top = Math.max(0, y - box.offsetHeight / 2) + "px";
      },
      hide() {
        box.hidden = true;
      },
    };
  }

  function startFigures() {
    const widths = new WeakMap();
    const resizes = new ResizeObserver(entries => entries.forEach(entry => {
      const width = Math.floor(entry.contentRect.width);
      if (width > 0 && widths.get(entry.target).width !== width) {
        widths.get(entry.target).width = width;
        widths.get(entry.target).figure.resize?.(width);
      }
    }));
    const figures = Array.from(document.querySelectorAll("figure[data-kind]"), each => ({
      plot: each.querySelector(".plot"),
      draw: kinds.get(each.dataset.kind),
      data: JSON.parse(each.querySelector("script").textContent),
    }));
    figures.forEach(each => each.data.series?.forEach(series => look(series.name))); // colours in the page's order
    for (const {plot, draw, data} of figures) {
      const figure = draw(plot, data) ?? {};
      drawn.push(figure);
      widths.set(plot, {figure, width: plot.clientWidth});
      resizes.observe(plot);
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    probe.hidden = true;
    document.body.append(probe);
    startSwitch();
    startTables();
    startFigures();
    startLegends();
    root.dataset.ready = "";
  });

  return {kind, bytes, colour, look, tip, text, number, size, element};
})();
