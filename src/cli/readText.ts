import { open } from 'node:fs/promises';
import { errorText, NancyError } from '../base/errors.ts';

/** Longest text of a message or prompt, in bytes of UTF-8: one megabyte, whichever of the two is meant. */
export const TEXT_LIMIT_BYTES = 2 ** 20;

/** Words from the command line, or all of stdin for a lone `-`. Empty text and text over the limit are errors. */
export async function readText(words: readonly string[], stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
	const isFromStdin = words.length === 1 && words[0] === '-';
	return checked(isFromStdin ? decode(await collect(stdin)) : words.join(' '));
}

export async function readTextFile(file: string): Promise<string> {
	const handle = await open(file, 'r').catch((cause: unknown) => {
		throw new NancyError('bad-usage', `${file} cannot be read: ${errorText(cause)}`, { cause });
	});
	try {
		return checked(decode(await collect(handle.createReadStream())));
	} finally {
		await handle.close();
	}
}

async function collect(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
		size += chunk.length;
		if (size > TEXT_LIMIT_BYTES) throw tooLong();
	}
	return Buffer.concat(chunks);
}

function decode(bytes: Buffer): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch (cause) {
		throw new NancyError('bad-message', 'the text is not valid UTF-8; convert it first', { cause });
	}
}

function checked(text: string): string {
	if (text.trim() === '')
		throw new NancyError('bad-message', 'there is no text; give it as an argument, or - to read stdin');
	if (Buffer.byteLength(text) > TEXT_LIMIT_BYTES) throw tooLong();
	return text;
}

function tooLong(): NancyError {
	return new NancyError(
		'bad-message',
		'the text is longer than 1 MB; put it into a file and send a message that names the file',
	);
}
