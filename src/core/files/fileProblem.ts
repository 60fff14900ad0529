import { errorText } from '../../base/errors.ts';

/** A file in `.nancy` that could not be read; reported, never touched. */
export interface FileProblem {
	file: string;
	reason: string;
	/** Not a record of its name: no agent can be reached through a stray folder or a copy. */
	isStray?: true;
}

/** Why a file could not be read. Nancy's own errors begin with its name, which is shown beside this text anyway. */
export function fileProblem(file: string, error: unknown): FileProblem {
	const text = errorText(error);
	return { file, reason: text.startsWith(`${file} `) ? text.slice(file.length + 1) : text };
}

/** Reads one of several files. One that cannot be read is among the problems, and keeps no other from being read. */
export async function readOrReport(problems: FileProblem[], file: string, read: () => Promise<void>): Promise<void> {
	try {
		await read();
	} catch (error) {
		problems.push(fileProblem(file, error));
	}
}
