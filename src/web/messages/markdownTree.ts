import MarkdownIt, { type Token } from 'markdown-it';

/** What a message may look like. There is no link, no image and no HTML: whatever would load or run something is its own text. */
const TAGS = new Set('p h3 ul ol li blockquote pre code hr br strong em s table thead tbody tr th td'.split(' '));

export type Piece = string | { tag: string; children: Piece[] };

// `&#x202e;` stays as it is written: decoded, it would reorder the words around it.
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('entity');

/** Another person's Markdown as a tree of elements. Nothing of its text becomes an attribute. */
export function markdownTree(text: string): Piece[] {
	return piecesOf(markdown.parse(text, {}));
}

function piecesOf(tokens: readonly Token[]): Piece[] {
	const root: Piece[] = [];
	const open: Piece[][] = [root];
	const targets: string[] = [];
	for (const token of tokens) {
		const into = open.at(-1) ?? root;
		if (token.type === 'link_open') targets.push(String(token.attrGet('href') ?? ''));
		else if (token.type === 'link_close') into.push(...targetOf(into, targets.pop()));
		// The paragraphs of a list whose items stand close together.
		else if (token.hidden) continue;
		else if (token.nesting === -1) {
			if (open.length > 1) open.pop();
		} else if (token.nesting === 1) {
			const children: Piece[] = [];
			into.push({ tag: tagOf(token), children });
			open.push(children);
		} else into.push(...leaf(token));
	}
	return root;
}

function leaf(token: Token): Piece[] {
	switch (token.type) {
		case 'inline':
			return piecesOf(token.children ?? []);
		case 'softbreak':
			return ['\n'];
		case 'hardbreak':
			return [{ tag: 'br', children: [] }];
		case 'hr':
			return [{ tag: 'hr', children: [] }];
		case 'code_inline':
			return [{ tag: 'code', children: [token.content] }];
		case 'fence':
		case 'code_block':
			return [{ tag: 'pre', children: [{ tag: 'code', children: [token.content] }] }];
		case 'image':
			return [token.content, ...targetOf([token.content], String(token.attrGet('src') ?? ''))];
		default:
			return [token.content];
	}
}

/** The address of a link or a picture behind its text, unless the text says it. */
function targetOf(before: readonly Piece[], target: string | undefined): Piece[] {
	return target === undefined || target === '' || before.at(-1) === target ? [] : [` (${target})`];
}

/** All headings are of one level below those of the page, so that none is left out. */
function tagOf({ tag }: Token): string {
	if (/^h[1-6]$/.test(tag)) return 'h3';
	return TAGS.has(tag) ? tag : 'p';
}
