import { expect, it } from 'vitest';
import { withSpecification } from '../../../../src/ui/start/specification.ts';

it('names the specification after what is typed, and once however often it is asked for', () => {
	const sentence = 'Read the specification in docs/a.md and carry it out.';
	expect(withSpecification('', 'docs/a.md')).toBe(sentence);
	const once = withSpecification(' Paint it. ', 'docs/a.md');
	expect(once).toBe(`Paint it. ${sentence}`);
	expect(withSpecification(once, 'docs/a.md')).toBe(once);
	expect(withSpecification(`${once} Green.`, 'docs/a.md')).toBe(`${once} Green.`);
	expect(withSpecification(once, 'b.md')).toBe(`${once} Read the specification in b.md and carry it out.`);
});
