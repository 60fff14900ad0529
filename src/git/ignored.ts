import { git } from './git.ts';
import { checkoutAt } from './homeCheckout.ts';
import { isInCheckout } from './mayTrack.ts';

/**
 * Whether git ignores a file of a folder, and does not track it. Nothing is ignored outside of a checkout.
 * @param file relative to the folder
 * @throws NancyError if there is a checkout, and git cannot say
 */
export async function isIgnored(folder: string, file: string): Promise<boolean> {
	if (!isInCheckout(folder)) return false;
	const checkout = await checkoutAt(folder);
	const place = { ...checkout, top: checkout.folder, folder };
	const { stdout } = await git(place, ['check-ignore', '-z', '--stdin'], { input: `${file}\0`, answers: [1] });
	return stdout.length > 0;
}
