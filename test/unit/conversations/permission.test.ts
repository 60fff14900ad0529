import { PassThrough } from 'node:stream';
import type { PermissionOption } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { PermissionQuestion } from '../../../src/conversations/permission.ts';
import { PromptedLines } from '../../../src/conversations/promptedLines.ts';

const YES: PermissionOption = { optionId: 'yes', name: 'Allow', kind: 'allow_once' };
const NO: PermissionOption = { optionId: 'no', name: 'Reject', kind: 'reject_once' };
const NEVER: PermissionOption = { optionId: 'never', name: 'Reject always', kind: 'reject_always' };

/** What the agent is told where nobody types, the desk answers with a kind of option, and how the desk's question ends. */
async function carried(kind: string, options: PermissionOption[]) {
	const said: string[] = [];
	const signals: string[] = [];
	const stdin = new PassThrough();
	const lines = new PromptedLines({
		stdin,
		prompt: '',
		completer: line => [[], line],
		write: text => said.push(text),
		interrupt: () => undefined,
	});
	const request = { sessionId: 's', options, toolCall: { toolCallId: 'c', rawInput: { command: 'ls' } } };
	const over = new AbortController();
	const question = new PermissionQuestion(request, { noYes: [], toolOf: () => 'shell' }, lines, over.signal);
	const guard = {
		printed: Promise.resolve(JSON.stringify({ kind })),
		woken: Promise.resolve(undefined),
		end: (signal: string) => signals.push(signal),
	};
	const { outcome } = await question.answer(() => guard, true);
	lines.close();
	return { outcome, signals, last: said.at(-1) };
}

it('an answer of the desk chooses the option of its kind', async () => {
	expect(await carried('allow_once', [YES, NO])).toMatchObject({
		outcome: { outcome: 'selected', optionId: 'yes' },
		signals: ['SIGUSR2'],
	});
	expect(await carried('reject_once', [NEVER, YES, NO])).toMatchObject({
		outcome: { outcome: 'selected', optionId: 'no' },
		signals: ['SIGTERM'],
	});
});

it('an answer of the desk for which the agent has no option is its No for once, or cancels: it never waits', async () => {
	expect(await carried('reject_once', [YES, NEVER])).toEqual({
		outcome: { outcome: 'cancelled' },
		signals: ['SIGTERM'],
		last: '→ Cancelled (answered in Nancy)',
	});
	expect(await carried('allow_once', [NO])).toMatchObject({ outcome: { outcome: 'selected', optionId: 'no' } });
});
