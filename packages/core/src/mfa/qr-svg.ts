import { uqr } from '../loading/dependencies.ts';

/** Empty modules around the code, which readers find it by (ISO/IEC 18004 5.3.8). */
const QUIET_ZONE = 4;

/** A QR code as an SVG without its own size, one unit per module. The text itself is not in it. */
export async function qrSvg(text: string): Promise<string> {
  const { renderSVG } = await uqr.load();
  return renderSVG(text, { ecc: 'M', border: QUIET_ZONE, pixelSize: 1 });
}
