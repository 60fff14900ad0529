import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import * as z from 'zod/mini';

const FOLDER = join(import.meta.dirname, '../fixtures/screens');

const Head = z.object({ width: z.number(), height: z.number() });
const Line = z.tuple([z.number(), z.enum(['m', 'o']), z.string()]);

export interface RecordedScreen {
	readonly columns: number;
	readonly rows: number;
	readonly pieces: readonly { readonly kind: 'm' | 'o'; readonly text: string }[];
}

/** @param name of a recording in `test/fixtures/screens`, without its ending */
export function recordedScreen(name: string): RecordedScreen {
	const [head = '', ...lines] = brotliDecompressSync(readFileSync(join(FOLDER, `${name}.cast.br`)))
		.toString()
		.trim()
		.split('\n');
	const { width: columns, height: rows } = Head.parse(JSON.parse(head));
	const pieces = lines.map(line => Line.parse(JSON.parse(line))).map(([, kind, text]) => ({ kind, text }));
	return { columns, rows, pieces };
}
