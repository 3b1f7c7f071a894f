/** Empty modules around the code, which readers find it by (ISO/IEC 18004 5.3.8). */
const QUIET_ZONE = 4;

/** A QR code as an SVG without a size of its own, one unit per module. The text itself is not in it. */
export async function qrSvg(text: string): Promise<string> {
  // Loaded when first used: most processes start without anybody enrolling a factor.
  const { renderSVG } = await import('uqr');
  return renderSVG(text, { ecc: 'M', border: QUIET_ZONE, pixelSize: 1 });
}
