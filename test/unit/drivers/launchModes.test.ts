import { expect, it } from 'vitest';
import { launchModesOf, modeFlags } from '../../../src/core/driver/modeFlags.ts';
import { driverById } from '../../../src/drivers/index.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';

const replacing: Record<string, readonly string[][]> = {
	'claude-code': [['--dangerously-skip-permissions'], ['--permission-mode', 'plan'], ['--permission-mode=plan']],
	codex: [
		['--sandbox', 'danger-full-access'],
		['-sdanger-full-access'],
		['-a', 'never'],
		['-c', 'sandbox_mode="danger-full-access"'],
		['--config', 'approval_policy="never"'],
		['--dangerously-bypass-approvals-and-sandbox'],
		['--full-auto'],
	],
	'gemini-cli': [['--yolo'], ['-y'], ['-dy'], ['--approval-mode', 'yolo'], ['--approvalMode=yolo']],
	'qwen-code': [['--yolo'], ['-y'], ['--approval-mode=yolo'], ['--approvalMode', 'yolo']],
	'copilot-cli': [['--mode', 'autopilot'], ['--autopilot'], ['--yolo'], ['--allow-all'], ['--allow-all-tools']],
};
const harmless = [['--verbose'], ['--model', 'large'], ['-c', 'model_reasoning_effort="high"'], ['--add-dir=../lib']];

it.each(Object.entries(replacing))('%s: no argument replaces the chosen permissions', (id, all) => {
	const driver = driverById(id)!;
	const [mode] = launchModesOf(driver);
	for (const extra of all) expect(() => modeFlags(driver, mode?.id, extra), extra.join(' ')).toThrow(/would replace/);
	for (const extra of harmless) expect(modeFlags(driver, mode?.id, extra), extra.join(' ')).toEqual(mode?.args);
});

it('a CLI without such flags has no mode', () => {
	expect(launchModesOf(fakeDriver)).toEqual([]);
	expect(() => modeFlags(fakeDriver, 'plan', [])).toThrow(
		'Fake has no permissions "plan" in a terminal; choose one of --permissions settings (what its own settings say)',
	);
});
