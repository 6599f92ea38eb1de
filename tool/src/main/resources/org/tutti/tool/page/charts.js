"use strict";

/* The kinds of charts of a page: bars, lines, histogram (by uPlot) and matrix (a canvas of squares). */
(() => {
  const FONT = "12px system-ui, 'DejaVu Sans', sans-serif";
  const HEIGHT = 260;
  const CHARACTER = 7; // about the width of a character of a label
  const LABEL_GAP = 14;
  const LABELS_HEIGHT = 32;
  const BYTE_STEPS = Array.from({length: 50}, (_, power) => 2 ** power);

  /** Makes a uPlot anew for each colour scheme, because it reads the colours only once. */
  function plotted(plot, data, options) {
    const tip = tutti.tip(plot);
    let hiddenNames = new Set();
    let chart;
    function make() {
      chart?.destroy();
      const made = options(plot.clientWidth);
      chart = new uPlot({
        width: plot.clientWidth,
        height: HEIGHT,
        legend: {show: false},
        padding: [12, 26, 0, 0],
        ...made.options,
        cursor: {drag: {x: made.zooms === true, y: false}, y: false, ...!made.zooms && {points: {show: false}}},
        hooks: {
          setCursor: [u => {
            const index = u.cursor.idx;
            if (index === null || index === undefined || u.cursor.left < 0) {
              tip.hide();
              return;
            }
            const shown = made.describe(index, name => !hiddenNames.has(name));
            const bounds = u.over.getBoundingClientRect();
            const outer = plot.getBoundingClientRect();
            tip.show(bounds.left - outer.left + u.cursor.left, bounds.top - outer.top + u.cursor.top, ...shown);
          }],
        },
      }, made.data, plot);
      apply();
    }
    function apply() {
      chart.batch(() => data.series?.forEach((series, index) => {
        chart.setSeries(index + 1, {show: !hiddenNames.has(series.name)});
      }));
    }
    make();
    return {
      resize: make,
      recolour: make,
      toggle(names) {
        hiddenNames = names;
        apply();
      },
    };
  }

  function axis(more) {
    const grid = {stroke: tutti.colour("--grid"), width: 1};
    return {stroke: tutti.colour("--quiet"), font: FONT, grid, ticks: grid, ...more};
  }

  /** The room that labels beside a vertical axis need. */
  function axisWidth(u, labels) {
    return labels === null ? 50 : 18 + CHARACTER * Math.max(3, ...labels.map(label => label.length));
  }

  /** Marks on a logarithmic axis: powers of `base`, or 1, 2 and 5 times powers of ten if those would be few. */
  function marks(low, high, base) {
    const found = [];
    const steps = base === 10 && high / low < 300 ? [1, 2, 5] : [1];
    const count = Math.log(high / low) / Math.log(base);
    const every = Math.max(1, Math.ceil(count / 8));
    for (let power = Math.floor(Math.log(low) / Math.log(base)); power <= Math.ceil(Math.log(high) / Math.log(base));
      power += every) {
      for (const step of steps) {
        const mark = Number((step * Math.pow(base, power)).toPrecision(12));
        if (mark >= low * 0.999 && mark <= high * 1.001) {
          found.push(mark);
        }
      }
    }
    return found;
  }

  /** The scale and the axis of figures; `base` is inside the scale, where bars begin. */
  function vertical(data, base) {
    const logarithmic = data.scale === "LOGARITHMIC";
    const power = base === 1 ? 2 : 10; // ratios are read in doublings
    const range = (u, low, high) => {
      const [least, most] = [Math.min(low ?? base ?? 1, base ?? Infinity), Math.max(high ?? 1, base ?? -Infinity)];
      if (!logarithmic) {
        return [Math.min(0, least), (most > 0 ? most : 1) * 1.05];
      }
      const parts = power === 10 ? 2 : 1; // ends are half decades, or doublings
      const down = Math.pow(power, Math.floor(Math.log(least * 1.0001) / Math.log(power) * parts) / parts);
      const up = Math.pow(power, Math.ceil(Math.log(most * 0.9999) / Math.log(power) * parts) / parts);
      return down < up ? [down, up] : [down / power, up * power];
    };
    return {
      scale: {distr: logarithmic ? 3 : 1, log: power, range},
      axis: axis({
        size: axisWidth,
        ...data.unit === "bytes" && {incrs: BYTE_STEPS},
        ...logarithmic && {splits: (u, index, low, high) => marks(low, high, power), filter: (u, splits) => splits},
        values: (u, splits) => splits.map(split => tutti.text(split, data.unit)),
      }),
    };
  }

  /** Labels in the middle of groups, slanting if they do not fit beside each other. */
  function labelAxis(places, labels, width) {
    const longest = Math.max(...labels.map(label => label.length)) * CHARACTER;
    const slants = longest + LABEL_GAP > (width - 70) / labels.length;
    return axis({
      splits: () => places,
      filter: (u, splits) => splits,
      values: () => labels,
      grid: {show: false},
      ticks: {show: false},
      size: LABELS_HEIGHT,
      ...slants && {rotate: 40, size: 24 + Math.min(90, longest * 0.68)},
    });
  }

  /** A line at the figure 1 of ratios, or at the foot of other bars. */
  function baseline(base) {
    return u => {
      const y = Math.round(u.valToPos(base, "y", true)) + 0.5;
      u.ctx.save();
      u.ctx.strokeStyle = tutti.colour("--text");
      u.ctx.lineWidth = devicePixelRatio;
      u.ctx.setLineDash([]);
      u.ctx.beginPath();
      u.ctx.moveTo(u.bbox.left, y);
      u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
      u.ctx.stroke();
      u.ctx.restore();
    };
  }

  // Each bar has a place of its own on the horizontal axis; a place is free between two groups.
  tutti.kind("bars", (plot, data) => {
    const count = data.series.length;
    const base = data.unit === "ratio" ? 1 : 0;
    return plotted(plot, data, width => {
      const groups = data.groups.map((_, group) => group * (count + 1));
      const xs = groups.flatMap(start => data.series.map((_, index) => start + index));
      const columns = data.series.map((series, index) => xs.map((x, place) =>
        place % count === index ? series.values[Math.floor(place / count)] ?? null : null));
      const {scale, axis: values} = vertical(data, base);
      return {
        data: [xs, ...columns],
        describe: (place, isShown) => [data.groups[Math.floor(place / count)], data.series
          .filter(series => isShown(series.name))
          .map(series => [series.name, tutti.text(series.values[Math.floor(place / count)], data.unit)])],
        options: {
          scales: {x: {time: false, range: () => [-0.9, groups.length * (count + 1) - 1.1]}, y: scale},
          axes: [labelAxis(groups.map(start => start + (count - 1) / 2), data.groups, width), values],
          plugins: [{hooks: {draw: baseline(base)}}],
          series: [{}, ...data.series.map(series => {
            const {colour, fill, dash} = tutti.look(series.name);
            return {
              label: series.name,
              stroke: colour,
              fill,
              dash,
              width: 1,
              points: {show: false},
              fillTo: () => base,
              paths: uPlot.paths.bars({size: [count === 1 ? 0.5 : 0.92, 44]}),
            };
          })],
        },
      };
    });
  });

  tutti.kind("lines", (plot, data) => plotted(plot, data, () => {
    const logarithmic = data.xScale === "LOGARITHMIC";
    const xs = data.xs.map(x => logarithmic ? Math.max(1, x) : x);
    const label = x => data.xUnit === "bytes" ? tutti.size(x) : tutti.number(x);
    const {scale, axis: values} = vertical(data, data.scale === "LOGARITHMIC" ? null : 0);
    /** The places that have room for their labels. */
    const roomy = (u, splits) => {
      let free = -Infinity;
      return splits.map(split => {
        const at = u.valToPos(split, "x");
        if (at < free) {
          return null;
        }
        free = at + label(split).length * CHARACTER + LABEL_GAP;
        return split;
      });
    };
    return {
      data: [xs, ...data.series.map(series => series.values)],
      zooms: true,
      describe: (index, isShown) => [label(data.xs[index]) + (data.xUnit === "bytes" ? " B" : " " + data.xUnit),
        data.series.filter(series => isShown(series.name) && series.values[index] !== null)
          .map(series => [series.name, tutti.text(series.values[index], data.unit)])],
      options: {
        scales: {
          x: {
            time: false,
            distr: logarithmic ? 3 : 1,
            log: 2,
            range: (u, low, high) => low < high ? [low, high] : logarithmic ? [low / 2, low * 2] : [low - 1, low + 1],
          },
          y: scale,
        },
        axes: [axis({
          size: LABELS_HEIGHT,
          ...logarithmic && {splits: (u, index, low, high) => xs.filter(x => x >= low && x <= high), filter: roomy},
          values: (u, splits) => splits.map(split => split === null ? null : label(split)),
        }), values],
        series: [{}, ...data.series.map(series => {
          const {colour, dash} = tutti.look(series.name);
          return {
            label: series.name,
            stroke: colour,
            dash,
            width: 2,
            spanGaps: true,
            points: {show: xs.length <= 60, size: 6, fill: colour},
          };
        })],
      },
    };
  }));

  tutti.kind("histogram", (plot, data) => plotted(plot, data, width => {
    const {scale, axis: counts} = vertical({unit: "", scale: data.scale}, data.scale === "LOGARITHMIC" ? 0.5 : 0);
    const every = Math.ceil(data.edges.length / Math.max(2, Math.floor((width - 60) / 70)));
    const edges = data.edges.map((_, index) => index);
    const colour = tutti.colour("--series-0");
    return {
      data: [data.counts.map((_, index) => index + 0.5),
        data.counts.map(count => data.scale === "LOGARITHMIC" && count === 0 ? null : count)],
      describe: index => [tutti.text(data.edges[index], data.unit) + " to "
        + tutti.text(data.edges[index + 1], data.unit), [["count", tutti.number(data.counts[index])]]],
      options: {
        scales: {x: {time: false, range: () => [0, data.counts.length]}, y: scale},
        axes: [axis({
          size: LABELS_HEIGHT,
          splits: () => edges.filter(edge => edge % every === 0),
          filter: (u, splits) => splits,
          values: (u, splits) => splits.map(edge => tutti.text(data.edges[edge], data.unit)),
          grid: {show: false},
        }), counts],
        series: [{}, {
          fill: colour,
          width: 0,
          points: {show: false},
          fillTo: () => data.scale === "LOGARITHMIC" ? 0.5 : 0,
          paths: uPlot.paths.bars({size: [0.94, Infinity]}),
        }],
      },
    };
  }));

  tutti.kind("matrix", (plot, data) => {
    const count = data.names.length;
    const most = Math.max(0, ...data.values.flatMap(row => row.map(value => value ?? 0)));
    const least = Math.min(most, ...data.values.flatMap(row => row.filter(value => value > 0)));
    const canvas = tutti.element("canvas");
    plot.append(canvas);
    const tip = tutti.tip(plot);
    const room = 18 + CHARACTER * Math.max(...data.names.map(name => name.length));
    const top = 44;
    let cell;

    /** From 0 for the least value above zero to 1 for the most, on a logarithmic scale. */
    function heat(value) {
      return most > least ? 0.12 + 0.88 * Math.log(value / least) / Math.log(most / least) : 1;
    }

    function draw() {
      const width = plot.clientWidth;
      cell = Math.max(1, Math.min(36, Math.floor((width - room) / count)));
      const height = top + cell * count + 4;
      canvas.width = width * devicePixelRatio;
      canvas.height = height * devicePixelRatio;
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
      const context = canvas.getContext("2d");
      context.scale(devicePixelRatio, devicePixelRatio);
      context.font = FONT;
      const [none, full] = [tutti.colour("--heat-0"), tutti.colour("--heat-1")];
      const gap = cell > 4 ? 1 : 0;
      data.values.forEach((row, from) => row.forEach((value, to) => {
        const [x, y] = [room + to * cell, top + from * cell];
        context.fillStyle = none;
        context.globalAlpha = 1;
        context.fillRect(x, y, cell - gap, cell - gap);
        if (value > 0) {
          context.fillStyle = full;
          context.globalAlpha = heat(value);
          context.fillRect(x, y, cell - gap, cell - gap);
        }
      }));
      context.globalAlpha = 1;
      context.fillStyle = tutti.colour("--quiet");
      context.textBaseline = "middle";
      const every = Math.ceil(18 / cell);
      const across = Math.ceil((Math.max(...data.names.map(name => name.length)) * CHARACTER + 6) / cell);
      data.names.forEach((name, index) => {
        context.textAlign = "right";
        if (index % every === 0) {
          context.fillText(name, room - 8, top + (index + 0.5) * cell);
        }
        context.textAlign = "center";
        if (index % across === 0) {
          context.fillText(name, room + (index + 0.5) * cell, top - 10);
        }
      });
      context.textAlign = "left";
      context.fillText("↓ " + data.rows + "   → " + data.columns, 0, 8);
    }

    canvas.addEventListener("mousemove", event => {
      const [to, from] = [Math.floor((event.offsetX - room) / cell), Math.floor((event.offsetY - top) / cell)];
      if (to < 0 || from < 0 || to >= count || from >= count) {
        tip.hide();
        return;
      }
      tip.show(event.offsetX, event.offsetY, data.rows + " " + data.names[from] + " → " + data.columns + " "
        + data.names[to], [["", tutti.text(data.values[from][to], data.unit)]]);
    });
    canvas.addEventListener("mouseleave", tip.hide);
    draw();
    return {resize: draw, recolour: draw};
  });
})();
