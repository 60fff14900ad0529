import { renderUnicodeCompact } from 'uqr';

// The program of the server: a bundle of its own, which `nancy serve` and a window load when they need it.
export { DeskServer } from './deskServer.ts';

/** An address as a picture of letters, for a phone's camera. */
export function qrCode(address: string): string {
	return renderUnicodeCompact(address, { border: 2 });
}
