import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';

export type Piece =
	| string
	| { tag: string; children: Piece[]; /** The language of a block of code. */ language?: string };

/** Further down, what stands in one another is shown as it was written: each level takes room on the stack. */
const DEEPEST = 30;

/**
 * Another person's Markdown as a tree of elements. There is no link, no image and no HTML: whatever would load or run something is its own
 * text. Nothing of the text becomes an attribute. Character references stay as they are written, for they can hide or reorder words.
 */
export function markdownTree(text: string): Piece[] {
	try {
		return pieces(Lexer.lex(text), 0);
	} catch (error) {
		// Thousands of signs that open something are too deep for the lexer.
		if (error instanceof RangeError) return [piece('p', [text])];
		throw error;
	}
}

function pieces(tokens: readonly Token[], depth: number): Piece[] {
	return tokens.flatMap(token => (isMarked(token) ? pieceOf(token, depth) : [token.raw]));
}

function pieceOf(token: MarkedToken, depth: number): Piece[] {
	if (depth > DEEPEST) return [token.raw];
	const inside = (tokens: readonly Token[]) => pieces(tokens, depth + 1);
	switch (token.type) {
		case 'space':
			return [];
		case 'def':
			return [piece('p', [token.raw])];
		case 'paragraph':
			return [piece('p', inside(token.tokens))];
		// All headings are of one level below those of the page, so that none is left out.
		case 'heading':
			return [piece('h3', inside(token.tokens))];
		case 'blockquote':
			return [piece('blockquote', inside(token.tokens))];
		case 'list':
			// A list is numbered from 1 here.
			if (token.ordered && token.start !== 1) return [piece('p', [token.raw])];
			return [
				piece(
					token.ordered ? 'ol' : 'ul',
					token.items.map(item => piece('li', inside(item.tokens))),
				),
			];
		case 'table':
			return isWhole(token) ? [table(token, inside)] : [verbatim(token.raw)];
		case 'code':
			// Behind the language there may be more words.
			if (/\s/.test(token.lang ?? '')) return [verbatim(token.raw)];
			return [piece('pre', [{ ...piece('code', [`${token.text}\n`]), language: token.lang ?? '' }])];
		case 'hr':
		case 'br':
			return [piece(token.type, [])];
		case 'strong':
		case 'em':
			return [piece(token.type, inside(token.tokens))];
		case 'del':
			return [piece('s', inside(token.tokens))];
		case 'codespan':
			return [piece('code', [token.text])];
		case 'link':
		case 'image':
			return [...inside(token.tokens), ...addressOf(token)];
		case 'escape':
			return [token.text];
		case 'html':
			return token.block === true ? [piece('p', [token.raw])] : [token.raw];
		case 'text':
			return token.tokens === undefined ? [token.raw] : inside(token.tokens);
		case 'checkbox':
		case 'list_item':
			return [token.raw];
	}
}

/** marked leaves out what a row has beyond the last column. */
function isWhole({ raw, header }: Tokens.Table): boolean {
	return raw.split('\n').every(
		line =>
			line
				.trim()
				.replace(/^\||\|$/g, '')
				.split('|').length <= header.length,
	);
}

function verbatim(raw: string): Piece {
	return piece('pre', [{ ...piece('code', [raw]), language: '' }]);
}

function table({ header, rows }: Tokens.Table, inside: (tokens: readonly Token[]) => Piece[]): Piece {
	const row = (tag: string, cells: readonly Tokens.TableCell[]) =>
		piece(
			'tr',
			cells.map(({ tokens }) => piece(tag, inside(tokens))),
		);
	return piece('table', [
		piece('thead', [row('th', header)]),
		piece(
			'tbody',
			rows.map(cells => row('td', cells)),
		),
	]);
}

/** The address of a link or a picture behind its text, unless the text says it, and its title. Nothing that was written is hidden. */
function addressOf({ text, href, title }: Pick<Tokens.Link, 'text' | 'href' | 'title'>): Piece[] {
	const address = href === text || href === `http://${text}` ? '' : href;
	const said = [address, title ? JSON.stringify(title) : ''].filter(Boolean).join(' ');
	return said === '' ? [] : [` (${said})`];
}

function piece(tag: string, children: Piece[]): { tag: string; children: Piece[] } {
	return { tag, children };
}

/** Every type but those of extensions, of which there are none. */
function isMarked(token: Token): token is MarkedToken {
	return token.type !== 'generic';
}
