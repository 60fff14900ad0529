import { expect, it } from 'vitest';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { codex } from '../../../src/drivers/codex/driver.ts';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { refuseAsking } from '../../../src/operations/shared/starting.ts';

it('a task of a project takes no permissions in which a question waits for the user', () => {
	const modes = headlessOf(claudeCode).permissionModes;
	const asking = modes.filter(({ asks }) => asks);
	expect(asking).toHaveLength(1);
	for (const { id } of asking) expect(() => refuseAsking(claudeCode, id)).toThrow(/for delegates alone/);
	for (const { id, asks } of modes) if (!asks) refuseAsking(claudeCode, id);
	refuseAsking(claudeCode, undefined);
	refuseAsking(codex, 'none such');
});
