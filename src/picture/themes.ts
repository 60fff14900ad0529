/** The colours of a picture, as `#rrggbb`. */
export interface Theme {
	readonly page: string;
	readonly text: string;
	readonly quiet: string;
	/** The border of the window, and the line below its title. */
	readonly edge: string;
	/** By scope of highlight.js; a scope `title.function` without an entry takes that of `title`. */
	readonly scopes: Readonly<Record<string, string>>;
	/** The 16 colours of a terminal, in their order. */
	readonly terminal: readonly string[];
}

/** Both have the colours of VS Code's own themes, Dark Modern and Light Modern, and of its terminal. Each has a contrast of 4.5 at least. */
export const themes = {
	dark: {
		page: '#1f1f1f',
		text: '#cccccc',
		quiet: '#8b949e',
		edge: '#454545',
		scopes: {
			keyword: '#569cd6',
			literal: '#569cd6',
			built_in: '#4ec9b0',
			type: '#4ec9b0',
			'title.class': '#4ec9b0',
			title: '#dcdcaa',
			section: '#569cd6',
			string: '#ce9178',
			regexp: '#d7757c',
			subst: '#cccccc',
			number: '#b5cea8',
			comment: '#7a9f60',
			doctag: '#7a9f60',
			meta: '#c586c0',
			attr: '#9cdcfe',
			attribute: '#9cdcfe',
			variable: '#9cdcfe',
			property: '#9cdcfe',
			params: '#9cdcfe',
			'template-variable': '#9cdcfe',
			name: '#569cd6',
			tag: '#569cd6',
			'selector-class': '#d7ba7d',
			'selector-id': '#d7ba7d',
			'selector-tag': '#d7ba7d',
			symbol: '#b5cea8',
			bullet: '#6796e6',
			link: '#4daafc',
			addition: '#7ee787',
			deletion: '#ff8f88',
		},
		terminal: [
			'#8b949e',
			'#f47067',
			'#23d18b',
			'#e5e510',
			'#3b8eea',
			'#d670d6',
			'#29b8db',
			'#e5e5e5',
			'#a0a0a0',
			'#ff8f88',
			'#56d364',
			'#f5f543',
			'#79b8ff',
			'#e29be2',
			'#56d4dd',
			'#ffffff',
		],
	},
	light: {
		page: '#ffffff',
		text: '#3b3b3b',
		quiet: '#6e7681',
		edge: '#d4d4d4',
		scopes: {
			keyword: '#0000ff',
			literal: '#0000ff',
			built_in: '#267f99',
			type: '#267f99',
			'title.class': '#267f99',
			title: '#795e26',
			section: '#800000',
			string: '#a31515',
			regexp: '#811f3f',
			subst: '#3b3b3b',
			number: '#087a4f',
			comment: '#007000',
			doctag: '#007000',
			meta: '#af00db',
			attr: '#c50000',
			attribute: '#c50000',
			variable: '#001080',
			property: '#001080',
			params: '#001080',
			'template-variable': '#001080',
			name: '#800000',
			tag: '#800000',
			'selector-class': '#800000',
			'selector-id': '#800000',
			'selector-tag': '#800000',
			symbol: '#087a4f',
			bullet: '#0451a5',
			link: '#005fb8',
			addition: '#116329',
			deletion: '#a40e26',
		},
		terminal: [
			'#000000',
			'#cd3131',
			'#0b7a3b',
			'#7a6500',
			'#0451a5',
			'#a304a3',
			'#04718a',
			'#555555',
			'#666666',
			'#b31b1b',
			'#116329',
			'#6b5900',
			'#0550ae',
			'#8b1d8b',
			'#0b6a80',
			'#1f1f1f',
		],
	},
} as const satisfies Readonly<Record<string, Theme>>;

export type ThemeName = keyof typeof themes;

/** `undefined` for a scope that has the colour of text. */
export function colorOfScope(theme: Theme, scope: string): string | undefined {
	const [first = scope] = scope.split('.');
	return theme.scopes[scope] ?? theme.scopes[first];
}

/** One of a terminal's 256 colours: the theme's 16, a cube of 6 x 6 x 6, 24 greys (xterm's values). */
export function colorOfTerminal(theme: Theme, color: number): string {
	if (color < 16) return theme.terminal[color] ?? theme.text;
	if (color < 232) {
		const at = color - 16;
		return hex(
			[Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map(step => (step === 0 ? 0 : 55 + step * 40)),
		);
	}
	const grey = 8 + (color - 232) * 10;
	return hex([grey, grey, grey]);
}

function hex(parts: readonly number[]): string {
	return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
}

/** WCAG's contrast of large text. */
const READABLE = 3;

/** The colour itself, or black or white where it could not be read on this background: programs choose it for backgrounds of their own. */
export function readableOn(background: string, color: string): string {
	if (contrast(background, color) >= READABLE) return color;
	return contrast(background, '#ffffff') > contrast(background, '#000000') ? '#ffffff' : '#000000';
}

/** 1 to 21, by WCAG 2.2. */
export function contrast(one: string, other: string): number {
	const [lighter = 1, darker = 1] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
	return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
		const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
