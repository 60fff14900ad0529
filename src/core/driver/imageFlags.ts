import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Driver } from './driver.ts';

/**
 * The flags that give the first prompt images.
 * @param files absolute
 * @throws NancyError `bad-usage` if the CLI takes no image, or a path that it would misread; `bad-message` if there is no prompt
 */
export function imageFlags(
	{ images, displayName }: Driver,
	files: readonly string[],
	prompt: string | undefined,
): readonly string[] {
	if (files.length === 0) return [];
	if (images === 'none') throw new NancyError('bad-usage', phrase`${displayName} takes no images at its start`);
	if (prompt === undefined || prompt.trim() === '')
		throw new NancyError('bad-message', phrase`images need a prompt that says what to do with them`);
	const misread = files.find(file => file.includes(images.separator));
	if (misread !== undefined)
		throw new NancyError(
			'bad-usage',
			phrase`${displayName} takes no image with "${images.separator}" in its path: ${misread}`,
		);
	return files.map(file => `${images.flag}${file}`);
}
