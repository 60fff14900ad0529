import { useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { Line } from '../../picture/line.ts';
import { svgOf } from '../../picture/svg.ts';
import { linesOf } from '../../picture/tokens.ts';
import { diffLines } from './diffLines.ts';
import { highlight } from './highlight.ts';
import { say } from './words.ts';

/** Nobody reads a picture of more. */
const MOST_LINES = 200;

/** Pixels of a canvas that phones have memory for. */
const MOST_PIXELS = 16_000_000;

interface Drawn {
	/** Above the lines, and in the name of the file. */
	title: string;
	text: string;
	/** `diff`: a unified diff. */
	language: string;
	firstNumber?: number;
}

/** Makes a picture of lines, and hands it to another app or saves it. */
export function Share(of: Drawn) {
	const [problem, setProblem] = useState('');
	const [isBusy, setBusy] = useState(false);
	const share = async () => {
		setBusy(true);
		setProblem('');
		try {
			await handOver(await picture(of), fileName(of.title));
		} catch (error) {
			// A person who changes his mind is no problem.
			if (!(error instanceof DOMException && error.name === 'AbortError'))
				setProblem(say(phrase`The picture could not be made.`));
		}
		setBusy(false);
	};
	return (
		<p class="share">
			<button type="button" class="button" disabled={isBusy} onClick={() => void share()}>
				{say(phrase`Share as Picture`)}
			</button>
			<span class="problem" role="alert">
				{problem}
			</span>
		</p>
	);
}

function linesIn({ text, language }: Drawn): Line[] {
	if (language !== 'diff') return linesOf(highlight(text, language));
	const scopes = { added: 'addition', removed: 'deletion', place: 'comment', same: '' };
	return diffLines(text).map(({ is, text: line }) => [{ text: line, ...(is !== 'same' && { scope: scopes[is] }) }]);
}

/** As PNG, twice as large as it is on a screen if there is room for that. */
async function picture(of: Drawn): Promise<Blob> {
	const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
	const lines = linesIn(of);
	const more = lines.splice(MOST_LINES).length;
	if (more > 0) lines.push([{ text: say(phrase`… ${more} more lines are not in this picture.`), color: 'quiet' }]);
	const svg = svgOf(lines, { theme, title: of.title, firstNumber: of.firstNumber });
	const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
	try {
		const image = new Image();
		image.src = address;
		await image.decode();
		const scale = Math.min(2, Math.sqrt(MOST_PIXELS / (image.width * image.height)));
		const canvas = document.createElement('canvas');
		canvas.width = Math.floor(image.width * scale);
		canvas.height = Math.floor(image.height * scale);
		canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
		const png = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'));
		if (!png) throw new Error('the canvas is empty');
		return png;
	} finally {
		URL.revokeObjectURL(address);
	}
}

/** By the dialog of the phone where there is one, else as a download. */
async function handOver(png: Blob, name: string): Promise<void> {
	const file = new File([png], name, { type: png.type });
	if (typeof navigator.canShare === 'function' && navigator.canShare({ files: [file] })) {
		await navigator.share({ files: [file] });
		return;
	}
	const link = document.createElement('a');
	link.href = URL.createObjectURL(png);
	link.download = name;
	link.click();
	// The browser reads it after the click.
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function fileName(title: string): string {
	const plain = title.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[-.]+|-+$/g, '');
	return `${plain.slice(-60) || 'nancy'}.png`;
}
