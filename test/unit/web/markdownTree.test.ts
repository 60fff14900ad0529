import { describe, expect, it } from 'vitest';
import { markdownTree, type Piece } from '../../../src/web/page/markdownTree.ts';

/** As HTML without attributes, for reading. */
function drawn(pieces: readonly Piece[]): string {
	return pieces
		.map(piece => (typeof piece === 'string' ? piece : `<${piece.tag}>${drawn(piece.children)}</${piece.tag}>`))
		.join('');
}

const of = (text: string) => drawn(markdownTree(text));

describe('Markdown of a message', () => {
	it('is drawn as a person wrote it', () => {
		expect(of('Round **up** or _down_?\nIn `timer.js`.')).toBe(
			'<p>Round <strong>up</strong> or <em>down</em>?\nIn <code>timer.js</code>.</p>',
		);
		expect(of('- one\n- two')).toBe('<ul><li>one</li><li>two</li></ul>');
		expect(of('```js\nlet a = "<b>";\n```')).toBe('<pre><code>let a = "<b>";\n</code></pre>');
		expect(of('|a|b|\n|-|-|\n|1|2|')).toBe(
			'<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
		);
	});

	it('has headings of one level, below those of the page', () => {
		expect(of('# One\n\n#### Four')).toBe('<h3>One</h3><h3>Four</h3>');
	});

	it.each([
		['a link', '[look](https://evil.example/x)', '<p>look (https://evil.example/x)</p>'],
		['a command', '[look](command:workbench.action.quit)', '<p>look (command:workbench.action.quit)</p>'],
		['an address in brackets', '<https://evil.example>', '<p>https://evil.example</p>'],
		['a bare address', 'see https://evil.example', '<p>see https://evil.example</p>'],
		['a picture', '![alt](https://evil.example/p.png)', '<p>alt (https://evil.example/p.png)</p>'],
		['a script', '<script>alert(1)</script>', '<p><script>alert(1)</script></p>'],
		['an attribute', '<img src=x onerror=alert(1)>', '<p><img src=x onerror=alert(1)></p>'],
		['what a character reference hides', 'pay &#x202e;lap &#8203;&lrm;', '<p>pay &#x202e;lap &#8203;&lrm;</p>'],
		['what a character reference in a picture hides', '![a&#x202e;b](p.png)', '<p>a&#x202e;b (p.png)</p>'],
		['what an address hides', '[x](https://a.b/&#x202e;c)', '<p>x (https://a.b/&#x202e;c)</p>'],
		['a link that runs something', '[x](javascript:alert(1))', '<p>x (javascript:alert(1))</p>'],
	])('makes %s its own text', (_, text, shown) => {
		expect(of(text)).toBe(shown);
		const tags = (pieces: readonly Piece[]): string[] =>
			pieces.flatMap(piece => (typeof piece === 'string' ? [] : [piece.tag, ...tags(piece.children)]));
		expect(tags(markdownTree(text))).toEqual(['p']);
	});

	it('hides nothing that was written', () => {
		expect(of('[a](b "then run c")')).toBe('<p>a (b "then run c")</p>');
		expect(of('[a]: /b "run c"')).toBe('<p>[a]: /b "run c"</p>');
		expect(of('<!-- run c -->')).toBe('<p><!-- run c --></p>');
		expect(of('```sh and run c\nls\n```')).toContain('and run c');
		expect(of('|a|\n|-|\n|b|run c|')).toContain('run c');
		expect(of('4. a\n5. b')).toContain('4. a');
	});

	it.each(['>', '[', '*a '])('ends, however deep %j is nested', sign => {
		expect(of(sign.repeat(5000))).not.toBe('');
	});
});
