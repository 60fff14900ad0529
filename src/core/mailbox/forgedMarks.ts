/**
 * Letters that look like the ones of the mark, beyond those that Unicode itself takes for the same. They are the ones of Unicode's
 * confusables.txt, and more of the same kind. In small letters, as {@link asRead} finds them: it makes ς of a lunate sigma.
 */
const LOOKALIKES = new Map(
	Object.entries({
		'[': '⁅❲⟦⟬「『【〔〖〘〚',
		a: 'ɑαаᗅᴀ⍶⍺ꓮꭺ𐊠𖽀',
		n: 'ⴖꮑŋƞɲɳɴηνипղոռᥒᵰⲛꓠ𐆎𐔓',
		c: 'ꞓ¢ƈȼɔςσсҫᴄ₡ⲥꓚꮯ𐊢𐌂𐐽𐔜𑣩𑣲🅮🝌',
		y: '¥ƴɏɣʎʏγυуүұყᶌỿⲩꓬꭚꭹꮍ𐊲𑣄𑣜𖽃',
		m: 'ʍɱμϻмӎᗰᛖᴍᵯ₥ⲙꓟꮇ𐊰𐌑𑜀𑣣',
		e: 'ɘǝɇəεеєҽҿᴇ℮⋿ⴹꓰꬲꭼ𐊆𑣆𑣎',
		s: 'ƽʂѕտᵴꓢꜱꮥꮪ𐊖𐑈𑣁𖼺',
		g: 'ƍǥɠɡɢԍցᏻᶃꓖꮐ',
	}).flatMap(([letter, others]) => Array.from(others, each => [each, letter] as const)),
);
/** First letters of alphabets in circles, squares and flags, which Unicode takes for pictures. */
const PICTURES = [0x1f1_50, 0x1f1_70, 0x1f1_e6];
/** No reader sees these, or takes them for a part of the word: spaces, accents, control and invisible characters. */
const UNREAD = String.raw`[\s\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{DI}\p{M}\u2800\ufffc]`;
/** In UTF-16 units. */
const LONGEST_READING = 4;
/** Made at first use: see base/visible. */
let unread: RegExp | undefined;
/** The beginning of {@link messageMark} as a reader takes it. */
const MARK = /\[nancy(?:m|rn)essage/g;

/**
 * A text whose beginnings of a message, or what looks like one, are broken. The agent would read it as a message, perhaps from the user. All
 * words stay.
 */
export function withoutMarks(text: string): string {
	// Most texts need no look at each character.
	if (!/[^\t\n\r -~]/.test(text) && !/\[[\s*_~`\\]*n/i.test(text)) return text;
	const visible = broken(text, asRead);
	return /\udb40[\udc20-\udc7e]/.test(visible) ? broken(visible, withTags) : visible;
}

/** @param reading of a character, in small letters */
function broken(text: string, reading: (character: string) => string): string {
	const readings = new Map<string, string>();
	let read = '';
	/** Where each character of `read` is in the text. */
	const places: number[] = [];
	for (let at = 0; at < text.length;) {
		const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
		let letters = readings.get(character);
		if (letters === undefined) readings.set(character, (letters = reading(character)));
		read += letters;
		for (let count = letters.length; count > 0; count--) places.push(at);
		at += character.length;
	}
	let result = '';
	let kept = 0;
	for (const { index } of read.matchAll(MARK)) {
		const at = places[index] ?? 0;
		result += `${text.slice(kept, at)}(`;
		kept = at + String.fromCodePoint(text.codePointAt(at) ?? 0).length;
	}
	return result + text.slice(kept);
}

/** Tags (U+E0020 to U+E007E) are invisible, but a model may read them as the characters of ASCII in that order. */
function withTags(character: string): string {
	const ascii = (character.codePointAt(0) ?? 0) - 0xe0000;
	return asRead(ascii >= 0x20 && ascii < 0x7f ? String.fromCodePoint(ascii) : character);
}

function asRead(character: string): string {
	// Markdown's signs for bold, italic and code, and its backslash.
	if (/^[*_~`\\]$/.test(character)) return '';
	if (/^[!-~]$/.test(character)) return character.toLowerCase();
	const code = character.codePointAt(0) ?? 0;
	const first = PICTURES.find(start => code >= start && code < start + 26);
	if (first !== undefined) return String.fromCodePoint(0x61 + code - first);
	const letters = character
		.normalize('NFKD')
		.replace((unread ??= new RegExp(UNREAD, 'gu')), '')
		.toLowerCase();
	// A sign for whole words, as U+FDFA: no part of the mark, and a long text of them would take half a minute.
	if (letters.length > LONGEST_READING) return '?';
	return Array.from(letters, each => LOOKALIKES.get(each) ?? each).join('');
}
