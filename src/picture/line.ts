/** One of a terminal's 256 by its number, `#rrggbb`, or a colour of the theme. */
export type Color = number | `#${string}` | 'text' | 'page' | 'quiet';

/** What a piece of text is, by the names of highlight.js' scopes, or the colour that a terminal gave it. */
export interface Span {
	readonly text: string;
	/** A scope of highlight.js, for example `keyword` or `title.function`. The theme knows its colour. */
	readonly scope?: string | undefined;
	/** Wins over {@link scope}. */
	readonly color?: Color | undefined;
	readonly background?: Color | undefined;
	readonly isBold?: boolean;
	readonly isItalic?: boolean;
	readonly isUnderlined?: boolean;
	readonly isDim?: boolean;
}

/** One line of a picture, without its end. */
export type Line = readonly Span[];
