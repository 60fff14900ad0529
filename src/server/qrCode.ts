import { renderSVG, renderUnicodeCompact } from 'uqr';

/** An address as a picture of letters, for a phone's camera. */
export function qrCode(address: string): string {
	return renderUnicodeCompact(address, { border: 2 });
}

/** The same as SVG. */
export function qrPicture(address: string): string {
	return renderSVG(address, { border: 2 });
}
