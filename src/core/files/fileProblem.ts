import { errorText } from '../../base/errors.ts';
import type { FileProblem } from '../workspace/workspace.ts';

/** Why a file could not be read. Its name, with which Nancy's own errors begin, is told beside it. */
export function fileProblem(file: string, error: unknown): FileProblem {
	const text = errorText(error);
	return { file, reason: text.startsWith(`${file} `) ? text.slice(file.length + 1) : text };
}
