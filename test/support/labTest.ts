import { onTestFailed, test } from 'vitest';
import { openLab, type Lab, type LabOptions } from './lab.ts';

/** `test` with a lab of its own; a failing test leaves a picture in out/failures. */
export function labTest(
	name: string,
	options: LabOptions | (() => Promise<LabOptions>),
	body: (lab: Lab) => Promise<void>,
): void {
	test(name, async () => {
		await using lab = await openLab(typeof options === 'function' ? await options() : options);
		try {
			await body(lab);
		} catch (error) {
			const file = await lab.screenshot(name).catch(() => 'no picture');
			onTestFailed(() => console.error(`Picture: ${file}`));
			throw error;
		}
	});
}
