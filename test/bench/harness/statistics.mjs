/** Median, least and greatest of some samples. */
export function summarize(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0], max: sorted.at(-1) };
}

/** The ratio of two servers, taken inside each round, where a slow minute of the machine hits both. */
export function ratiosByRound(samples, base) {
  return summarize(samples.map((sample, round) => sample / base[round]));
}

/** A quantile of ascending samples, interpolated. */
export function quantile(sorted, fraction) {
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  return below + (above - below) * (position - Math.floor(position));
}
