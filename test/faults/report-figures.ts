/** Prints what a scenario measured, for `RESULTS.md`. */
export function reportFigures(bar: string, figures: object): void {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${String(value)}`);
  process.stdout.write(`[figures] ${bar}: ${text.join(', ')}\n`);
}
