import type { AskedRequest } from '../../src/core/driver/asking.ts';
import { newQuestion } from '../../src/core/questions/newQuestion.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import type { Workspace } from '../../src/core/workspace/workspace.ts';
import type { DelegateId } from '../../src/protocol/delegate.ts';
import { DriverId, SessionId } from '../../src/protocol/names.ts';
import type { Question } from '../../src/protocol/question.ts';

/** What a test need not say of a request. */
export const BASH: AskedRequest = {
	session: SessionId.parse('a0a0a0a0-0000'),
	kind: 'tool',
	tool: 'Bash',
	title: 'rm -rf build',
	body: 'rm -rf build',
	bodyIs: 'command',
	also: [],
	files: [],
	choices: [{ effect: 'once' }, { effect: 'no' }, { effect: 'end' }],
	fields: [],
	input: {},
};

/** Asks as a hook program does. This process is the holder: it lives as long as the test. */
export async function seedQuestion(
	{ own, folder }: Workspace,
	request: Partial<AskedRequest> = {},
	delegate?: DelegateId,
): Promise<Question> {
	const around = { folders: [folder], home: '/home/me', settings: [] };
	const question = newQuestion(DriverId.parse('claude-code'), { ...BASH, ...request }, { around, delegate });
	const desk = new Questions(own);
	await desk.prepare();
	await desk.ask(question);
	return question;
}
