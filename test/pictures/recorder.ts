import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';

/** Between two looks at the window, in milliseconds: eight to ten a second. */
const LOOK_MS = 60;

/** How long a changed picture is shown, in milliseconds. A slow machine makes no slow film. */
const CHANGE_MS = 90;

/**
 * Films a window. Pictures that are alike count once, so that waiting takes no time in the film; {@link rest} shows the last one
 * for longer. The window draws no pointer, so the film has one of its own, and a caption in the title bar.
 */
export class Recorder {
	readonly #page: Page;
	readonly #frames: { picture: Buffer; ms: number }[] = [];
	#isOn = false;
	#looking: Promise<void> = Promise.resolve();

	constructor(page: Page) {
		this.#page = page;
	}

	/** Adds pointer and caption. */
	async begin(): Promise<void> {
		await this.#page.evaluate(addOverlay);
		this.#isOn = true;
		this.#looking = this.#look();
		// A script that fails closes the window. Its own error tells more.
		this.#looking.catch(() => undefined);
	}

	async caption(words: string): Promise<void> {
		await this.#page.evaluate(setCaption, words);
		await this.rest(600);
	}

	/** The reader of the film needs this long, in milliseconds. */
	async rest(ms: number): Promise<void> {
		await this.#shoot();
		const last = this.#frames.at(-1);
		if (last) last.ms += ms;
	}

	/** Types as a person does, and shows each third letter. */
	async type(words: string): Promise<void> {
		for (const letters of words.match(/.{1,3}/g) ?? []) {
			await this.#page.keyboard.type(letters);
			await this.#shoot();
		}
		await this.rest(300);
	}

	/** Moves the pointer to a place and shows its way. */
	async point(x: number, y: number): Promise<void> {
		await this.#page.mouse.move(x, y, { steps: 2 });
		await this.rest(300);
	}

	/** @returns the film as an animated WebP. It is without loss, which makes windows smaller than with it */
	async end(): Promise<{ film: Buffer; seconds: number; frames: number }> {
		this.#isOn = false;
		await this.#looking;
		const delay = this.#frames.map(({ ms }) => ms);
		const pictures = this.#frames.map(({ picture }) => picture);
		const film = await joined(pictures).webp({ lossless: true, delay, loop: 0 }).toBuffer();
		return { film, seconds: delay.reduce((sum, ms) => sum + ms, 0) / 1000, frames: delay.length };
	}

	async #look(): Promise<void> {
		while (this.#isOn) {
			await this.#shoot();
			await sleep(LOOK_MS);
		}
	}

	async #shoot(): Promise<void> {
		const picture = await this.#page.screenshot();
		if (this.#frames.at(-1)?.picture.equals(picture) === true) return;
		this.#frames.push({ picture, ms: CHANGE_MS });
	}
}

function joined(pictures: Buffer[]): Sharp {
	return sharp(pictures, { join: { animated: true } });
}

/** Runs in the page. */
function addOverlay(): void {
	const pointer = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	const arrow = document.createElementNS('http://www.w3.org/2000/svg', 'path');
	arrow.setAttribute('d', 'M1 1v16l4-4 3 7 3-1-3-7h6z');
	arrow.setAttribute('fill', '#fff');
	arrow.setAttribute('stroke', '#000');
	pointer.append(arrow);
	Object.assign(pointer.style, { width: '18px', height: '24px', left: '-99px', top: '0' });
	const caption = document.createElement('div');
	caption.id = 'film-caption';
	Object.assign(caption.style, { left: '0', right: '0', top: '0', height: '34px', lineHeight: '34px' });
	Object.assign(caption.style, { background: '#0b5cad', color: '#fff', fontSize: '16px', textAlign: 'center' });
	for (const each of [pointer, caption]) {
		Object.assign(each.style, { position: 'fixed', zIndex: '1000000', pointerEvents: 'none' });
		document.querySelector('.monaco-workbench')?.append(each);
	}
	// Over the title bar, and below the box that asks for something.
	caption.style.zIndex = '2520';
	window.addEventListener(
		'mousemove',
		({ clientX, clientY }) => Object.assign(pointer.style, { left: `${clientX}px`, top: `${clientY}px` }),
		true,
	);
}

/** Runs in the page. */
function setCaption(words: string): void {
	const caption = document.querySelector('#film-caption');
	if (caption) caption.textContent = words;
}
