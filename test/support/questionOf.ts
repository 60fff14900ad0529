import { digestOf } from '../../src/core/questions/digest.ts';
import { newQuestion } from '../../src/core/questions/newQuestion.ts';
import type { DelegateId } from '../../src/protocol/delegate.ts';
import { SessionId } from '../../src/protocol/names.ts';
import type { Question } from '../../src/protocol/question.ts';
import { fakeDriver } from './fakeDriver.ts';

/** A delegate's question whether it may run `touch made`. Its holder is this process, if no other is given. */
export function questionOf(delegate: DelegateId, holder?: Question['holder']): Question {
	const asked = newQuestion(
		fakeDriver.id,
		{
			session: SessionId.parse('5e551011-0000-4000-8000-000000000001'),
			kind: 'tool',
			tool: 'Bash',
			title: 'touch made',
			body: 'touch made',
			bodyIs: 'command',
			also: [],
			files: [],
			fields: [],
			choices: [{ effect: 'once' }, { effect: 'no' }],
			input: { command: 'touch made' },
		},
		{ delegate },
	);
	const question = { ...asked, ...(holder && { holder }) };
	return { ...question, digest: digestOf(question) };
}
