import assert from 'node:assert/strict';
import { tooltip } from '../../src/ui/kit/tooltip.ts';

describe('a hover', () => {
	it('breaks long lines between words, and keeps spaces that a writer has doubled', () => {
		const { value } = tooltip('Fix the login', [['Prompt', 'Fix it  now, please\n    and soon']]);
		assert.ok(value.startsWith('**Fix the login**'));
		assert.ok(value.includes('Fix it&nbsp;&nbsp;now, please'), value);
		assert.ok(value.includes('\n&nbsp;&nbsp;&nbsp;&nbsp;and soon'), value);
	});
});
