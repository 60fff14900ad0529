import { expect, it } from 'vitest';
import { phrase } from '../../../src/base/phrase.ts';
import { geminiCli } from '../../../src/drivers/gemini-cli/driver.ts';
import { requireTold, unitsAtStart } from '../../../src/operations/shared/budgetUnits.ts';

it('a delegate is held to no budget in a mode in which its runner is told of no use', () => {
	const heldIn = (permissions: string | undefined) => () =>
		requireTold({ tokens: 1000 }, unitsAtStart(geminiCli, permissions), phrase`the delegate`);
	expect(heldIn('ask-me')).toThrow('Gemini CLI does not tell tokens');
	expect(heldIn('auto_edit')).not.toThrow();
	expect(heldIn(undefined)).not.toThrow();
});
