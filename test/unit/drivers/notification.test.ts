import { expect, it } from 'vitest';
import { notificationDetails } from '../../../src/drivers/notification.ts';

it.each([
	['idle_prompt', 'idle'],
	['permission_prompt', 'asked'],
	['worker_permission_prompt', 'asked'],
	['elicitation_dialog', 'asked'],
	['elicitation_complete', 'answered'],
	['push_notification', 'alert'],
	['auth_storage_failure', 'alert'],
	[undefined, 'alert'],
	['shell_completed', undefined],
	['agent_idle', undefined],
	['auth_success', undefined],
])('a notification of the type %s tells %s, with its words in one short line', (type, tells) => {
	const details = notificationDetails(type, `Built\n${'x'.repeat(10_000)}`);
	expect(details).toMatchObject({ notification: type, tells, summary: expect.stringMatching(/^Built x+…$/) });
	expect(details.summary).toHaveLength(200);
});
