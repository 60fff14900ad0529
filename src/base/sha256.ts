import type * as Crypto from 'node:crypto';
import { createRequire } from 'node:module';

/** Of the parts one after another, as hex digits. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
	const hash = loadCrypto().createHash('sha256');
	for (const part of parts) hash.update(part);
	return hash.digest('hex');
}

/** On first use: every start of the hook program counts, and of most commands too, and few of them hash anything. */
function loadCrypto(): typeof Crypto {
	return createRequire(process.execPath)('node:crypto');
}
