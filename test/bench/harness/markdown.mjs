/** A number with about three significant digits. */
export function number(value) {
  if (value === undefined || Number.isNaN(value)) return '-';
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** Median and range: `12.1 (11.8-13.0)`. */
export function spread({ median, min, max }) {
  return `${number(median)} (${number(min)}-${number(max)})`;
}

/** A Markdown table. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
