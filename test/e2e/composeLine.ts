import { expect } from 'vitest';
import type { WorkerAddress, Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, SessionId, WorkerName } from '../../src/protocol/names.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import type { Lab } from '../support/lab.ts';
import { unfold } from '../support/listGestures.ts';
import { spool } from '../support/seedWorkspace.ts';
import { widen } from '../support/sidebar.ts';

const AGENT = DriverId.parse('claude-code');

/** A title that is longer than the line. */
export const TITLE = 'Fix the rounding of the tea timer';

/** What a language calls the form, and when a message is read. */
export interface ComposeWords {
	language: string;
	title: string;
	tool: string;
	done: string;
}

/** How the controls below the text lie. Runs in the page. */
function layout() {
	const elements = ['recipients', 'way-look', 'urgent', 'send'].map(id => document.getElementById(id)!);
	const boxes = elements.map(each => each.getBoundingClientRect());
	const words = elements.flatMap(each => [...each.querySelectorAll('span')]);
	const isCut = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
	return {
		lines: new Set(boxes.map(({ top, height }) => Math.round(top + height / 2))).size,
		isInOrder: boxes.every(({ left }, at) => left >= (boxes[at - 1]?.right ?? 0)),
		isInside: boxes.at(-1)!.right <= innerWidth && document.documentElement.scrollWidth <= innerWidth,
		isReadable: boxes[0]!.width > 50,
		/** Words that end in the middle of a letter. */
		torn: words.filter(
			each => isCut(each) && getComputedStyle(each).textOverflow !== 'ellipsis' && each.clientWidth > 1,
		).length,
		isTimingWhole: !isCut(document.getElementById('when')!),
	};
}

/** Nancy's container is open. The one worker is in a session that says that its agent works. */
export async function expectOneLine(
	lab: Lab,
	{ workspace, address }: { workspace: Workspace; address: WorkerAddress },
	session: string,
	{ language, title, tool, done }: ComposeWords,
): Promise<void> {
	const { workbench, page } = lab;
	spool(workspace, session, 'UserPromptSubmit', { prompt: 'Go on' }, '6');
	await unfold(workbench, title);
	const form = workbench.webview();
	await form.locator('#recipients', { hasText: 'Fix the rounding' }).waitFor();
	const frame = await (await form.locator('body').elementHandle())?.ownerFrame();
	if (!frame) throw new Error('there is no compose page');
	const areWhole = async (recipient: string) => {
		for (const width of [400, 300, 240]) {
			await widen(page, width);
			// The sidebar's edge takes a few pixels.
			await expect.poll(() => frame.evaluate(() => Math.ceil(innerWidth / 10) * 10)).toBe(width);
			for (const [way, when] of [
				['none', tool],
				['halt', tool],
				['feedback', done],
			] as const) {
				await form.locator('#way').selectOption(way);
				await form.locator('#when', { hasText: when }).waitFor();
				const whole = {
					lines: 1,
					isInOrder: true,
					isInside: true,
					isReadable: true,
					torn: 0,
					isTimingWhole: true,
				};
				expect(await frame.evaluate(layout), `${recipient} ${width} ${way}`).toEqual(whole);
			}
			await lab.picture(`compose-line-${language}-${recipient}-${width}`);
		}
	};
	await areWhole('task');
	const second = { task: address.task, worker: WorkerName.parse('worker-2') };
	await addBoundWorker(workspace, second, { agent: AGENT, session: SessionId.parse('c0c0c0c0-0004') });
	await form.locator('#recipients .worker', { hasText: 'worker' }).waitFor();
	await areWhole('worker');
}
