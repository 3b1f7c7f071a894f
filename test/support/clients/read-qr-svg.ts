import jsqr from 'jsqr';

/** QR readers need several pixels per module. */
const PIXELS_PER_MODULE = 4;

/** Reads the QR code of an SVG whose path has one square of one unit for each dark module. */
export function readQrSvg(svg: string): string {
  const [, size = ''] = /viewBox="0 0 (\d+) \d+"/.exec(svg) ?? [];
  const width = Number(size) * PIXELS_PER_MODULE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+),(\d+)h1v1h-1z/g)) {
    darken(pixels, width, { x: Number(x), y: Number(y) });
  }
  const code = jsqr.default(pixels, width, width);
  if (code === null) throw new Error('no QR code in the picture');
  return code.data;
}

function darken(
  pixels: Uint8ClampedArray,
  width: number,
  { x, y }: { readonly x: number; readonly y: number },
): void {
  for (let row = 0; row < PIXELS_PER_MODULE; row += 1) {
    for (let column = 0; column < PIXELS_PER_MODULE; column += 1) {
      const left = x * PIXELS_PER_MODULE + column;
      const at = 4 * ((y * PIXELS_PER_MODULE + row) * width + left);
      pixels.fill(0, at, at + 3);
    }
  }
}
