import assert from 'node:assert/strict';
import { tooltip } from '../../src/ui/kit/tooltip.ts';
import { lineWords } from '../../src/ui/useWords.ts';
import { effectWord } from '../../src/ui/words.ts';

describe('a hover', () => {
	it('breaks long lines between words, and keeps spaces that a writer has doubled', () => {
		const { value } = tooltip('Fix the login', [['Prompt', 'Fix it  now, please\n    and soon']]);
		assert.ok(value.startsWith('**Fix the login**'));
		assert.ok(value.includes('Fix it&nbsp;&nbsp;now, please'), value);
		assert.ok(value.includes('\n&nbsp;&nbsp;&nbsp;&nbsp;and soon'), value);
	});
});

describe('words of a row', () => {
	it('count one line as one', () => {
		assert.equal(lineWords({ insertions: 1, deletions: 1 }), '1 line added, 1 removed');
		assert.equal(lineWords({ insertions: 2, deletions: 0 }), '2 lines added, 0 removed');
	});

	it('say what a directive does, not what its file calls it', () => {
		assert.equal(effectWord('none'), undefined);
		assert.equal(effectWord('halt'), 'blocks the next tool call');
		assert.equal(effectWord('pause'), 'ends the turn');
	});
});
