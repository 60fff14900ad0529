import { open } from 'node:fs/promises';
import { errorText, NancyError } from '../base/errors.ts';

/** Longest text of a message or prompt, in bytes of UTF-8: one megabyte, whichever of the two is meant. */
export const TEXT_LIMIT_BYTES = 2 ** 20;

const THE_TEXT = 'the text';

/** Words from the command line, or all of stdin for a lone `-`. Empty text and text over the limit are errors. */
export async function readText(words: readonly string[], stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
	const isFromStdin = words.length === 1 && words[0] === '-';
	const text = isFromStdin ? decode(await collect(stdin, THE_TEXT), THE_TEXT) : words.join(' ');
	if (text.trim() === '')
		throw new NancyError('bad-message', 'there is no text; give it as an argument, or - to read stdin');
	if (Buffer.byteLength(text) > TEXT_LIMIT_BYTES) throw tooLong(THE_TEXT);
	return text;
}

/** As {@link readText}, but errors name the file. */
export async function readTextFile(file: string): Promise<string> {
	const text = decode(await bytesOf(file), file);
	if (text.trim() === '') throw new NancyError('bad-message', `${file} has no text`);
	return text;
}

async function bytesOf(file: string): Promise<Buffer> {
	try {
		await using handle = await open(file, 'r');
		return await collect(handle.createReadStream(), file);
	} catch (cause) {
		if (cause instanceof NancyError) throw cause;
		throw new NancyError('bad-usage', `${file} cannot be read: ${errorText(cause)}`, { cause });
	}
}

/** @param what is read, for errors */
async function collect(stream: AsyncIterable<Uint8Array | string>, what: string): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
		size += chunk.length;
		if (size > TEXT_LIMIT_BYTES) throw tooLong(what);
	}
	return Buffer.concat(chunks);
}

function decode(bytes: Buffer, what: string): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch (cause) {
		throw new NancyError('bad-message', `${what} is not valid UTF-8; convert it first`, { cause });
	}
}

function tooLong(what: string): NancyError {
	const instead =
		what === THE_TEXT ? 'put it into a file and send a message that names the file' : 'let the text name it';
	return new NancyError('bad-message', `${what} is longer than 1 MB; ${instead}`);
}
