import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { Questions } from '../core/questions/questions.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import type { QuestionId } from '../protocol/question.ts';

/**
 * Runs the user's own program (a message to a phone, for example) with the id of a question as its only argument. The question's words stay
 * here: the program may send them anywhere. The first of all windows runs it, once for a question.
 * @param program absolute path; empty: the user wants none
 * @throws NancyError `bad-usage`, or `bad-file` if it could not be started
 */
export async function tellProgram(program: string, workspace: Workspace, question: QuestionId): Promise<void> {
	if (program === '') return;
	if (!isAbsolute(program))
		throw new NancyError(
			'bad-usage',
			phrase`nancy.desk.notify must be the absolute path of a program, not ${program}`,
		);
	if (!(await new Questions(workspace.own).tell(question))) return;
	const child = spawn(program, [question], { detached: true, stdio: 'ignore' });
	await new Promise<void>((resolve, reject) => {
		child.once('spawn', resolve);
		child.once('error', cause =>
			reject(
				new NancyError(
					'bad-file',
					phrase`nancy.desk.notify: ${program} could not be started: ${cause.message}`,
				),
			),
		);
	});
	child.unref();
}
