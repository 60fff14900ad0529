import { errorText } from '../../base/errors.ts';
import type { FileProblem } from '../workspace/workspace.ts';

/** Why a file could not be read. Nancy's own errors begin with its name, which is shown beside this text anyway. */
export function fileProblem(file: string, error: unknown): FileProblem {
	const text = errorText(error);
	return { file, reason: text.startsWith(`${file} `) ? text.slice(file.length + 1) : text };
}
