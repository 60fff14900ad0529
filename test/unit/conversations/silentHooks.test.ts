import { expect, it } from 'vitest';
import { SilentHookCalls } from '../../../src/conversations/silentHooks.ts';
import type { SilentHook } from '../../../src/core/driver/acp.ts';
import { acp } from '../../../src/drivers/gemini-cli/acp.ts';

const { silent } = acp;
if (silent === 'none') throw new Error('it has some');

it('the guard is called for what the agent tells, one call after the other, with what was said before', async () => {
	const called: SilentHook[] = [];
	const release: (() => void)[] = [];
	const calls = new SilentHookCalls(silent, { session: 's1', cwd: '/w', isResumed: false }, hook => {
		called.push(hook);
		return new Promise<void>(resolve => release.push(resolve));
	});
	const names = () => called.map(({ event }) => event);
	const next = async () => {
		release.shift()?.();
		await new Promise(resolve => setTimeout(resolve, 0));
	};
	const toolCall = { toolCallId: 'run_shell_command__1', title: 'touch a' };
	const request = { sessionId: 's1', options: [], toolCall };
	const begun = calls.begun();
	calls.asked(request);
	calls.allowed(request);
	calls.update({ sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, status: 'completed' });
	calls.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done' } });
	calls.denied({ ...request, toolCall: { ...toolCall, toolCallId: 'run_shell_command__2' } });
	const ended = calls.ended();
	await next();
	expect(names()).toEqual(['SessionStart']);
	await next();
	await begun;
	for (let at = 0; at < 5; at += 1) await next();
	await ended;
	expect(names()).toEqual(['SessionStart', 'Notification', 'BeforeTool', 'AfterTool', 'AfterTool', 'SessionEnd']);
	expect(called.at(-3)?.payload).toMatchObject({
		tool_name: 'run_shell_command',
		tool_input: { command: 'touch a' },
	});
});

it('a guard that fails keeps no later one back', async () => {
	const called: string[] = [];
	const calls = new SilentHookCalls(silent, { session: 's1', cwd: '/w', isResumed: false }, ({ event }) => {
		called.push(event);
		return Promise.reject(new Error('no process'));
	});
	await calls.begun();
	await calls.ended();
	expect(called).toEqual(['SessionStart', 'SessionEnd']);
});

it('a call begins and ends once, however often its agent says so, and not at all after a No', async () => {
	const called: SilentHook[] = [];
	const calls = new SilentHookCalls(silent, { session: 's1', cwd: '/w', isResumed: false }, async hook => {
		called.push(hook);
	});
	const says = (id: string, ...statuses: ('pending' | 'in_progress' | 'completed' | 'failed')[]) => {
		for (const status of statuses)
			calls.update({
				sessionUpdate: 'tool_call_update',
				toolCallId: `run_shell_command__${id}`,
				title: id,
				status,
			});
	};
	says('prints', 'pending', 'in_progress', 'in_progress', 'in_progress', 'completed');
	says('silent', 'pending', 'completed');
	says('asks', 'pending', 'in_progress');
	const request = { sessionId: 's1', options: [], toolCall: { toolCallId: 'run_shell_command__asks' } };
	calls.asked(request);
	calls.allowed(request);
	says('asks', 'in_progress', 'failed');
	says('refused', 'pending', 'in_progress');
	calls.denied({ ...request, toolCall: { toolCallId: 'run_shell_command__refused' } });
	says('refused', 'in_progress', 'failed');
	await calls.kept;
	const told = called.map(({ event, payload }) => {
		const { tool_input: input } = payload as { tool_input?: { command: string } };
		return `${event} ${input?.command ?? ''}`.trim();
	});
	expect(told).toEqual([
		'BeforeTool prints',
		'AfterTool prints',
		'BeforeTool silent',
		'AfterTool silent',
		'BeforeTool asks',
		'Notification',
		'BeforeTool asks',
		'AfterTool asks',
		'BeforeTool refused',
		'AfterTool refused',
	]);
});
