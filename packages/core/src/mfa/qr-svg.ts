import { uqr } from '../loading/dependencies.ts';

/** The margin by which readers detect the code, in modules (ISO/IEC 18004 5.3.8). */
const QUIET_ZONE = 4;

/** A QR code as a scalable SVG, with one unit per module. The SVG does not contain the text as characters. */
export async function qrSvg(text: string): Promise<string> {
  const { renderSVG } = await uqr.load();
  return renderSVG(text, { ecc: 'M', border: QUIET_ZONE, pixelSize: 1 });
}
