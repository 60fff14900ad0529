import { expect, it } from 'vitest';
import { stateOf } from '../../../src/web/desk/domainWords.ts';
import { setHost } from '../../../src/web/desk/host.ts';

const AT = '2026-11-24T12:00:00.000Z';

it.each([
	['vscode', 'vscode', /^Sent: Allow Once\./],
	['vscode', 'page', /^Answered on the device “Phone”: Allow Once\.$/],
	['page', 'page', /^Sent: Allow Once\./],
	['page', 'vscode', /^Answered in VS Code: Allow Once\./],
	['page', 'rule', /^Answered by your rule: Allow Once\.$/],
] as const)('tells in %s where a question was answered: by %s', (surface, by, words) => {
	setHost({ surface, draft: undefined, open: () => undefined, post: () => Promise.reject(new Error('unused')) });
	const answer = { effect: 'once', by, device: 'Phone', at: AT } as const;
	expect(stateOf({ kind: 'tool', choices: [], answer })).toMatch(words);
});
