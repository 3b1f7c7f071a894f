import { number, spread } from './markdown.mjs';

/**
 * Compares a measured value with its goal, as a line of a {@link goalList}.
 *
 * @param measured a summary (`{median, min, max}`): the median decides
 * @param goal `{atLeast}` or `{atMost}`; with neither, the value is only shown
 */
export function goalLine(claim, measured, { atLeast, atMost } = {}) {
  const value = `${claim}: ${spread(measured)}`;
  if (atLeast !== undefined) {
    return `${met(measured.median >= atLeast)}: ${value}, goal ≥${number(atLeast)}`;
  }
  if (atMost !== undefined) {
    return `${met(measured.median <= atMost)}: ${value}, goal ≤${number(atMost)}`;
  }
  return value;
}

export const met = (holds) => (holds ? 'met' : '**missed**');

/** The list of such lines. */
export function goalList(lines) {
  return lines.map((line) => `- ${line}`).join('\n');
}
