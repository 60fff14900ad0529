import type { Workspace } from '../../core/workspace/workspace.ts';

/**
 * A collector for the time of one command. Without an open window, the events of hooks would stay in the spool unseen. While a window
 * collects, this one does nothing.
 */
export async function withCollector<T>(
	workspace: Workspace,
	work: (collect: () => Promise<void>) => Promise<T>,
): Promise<T> {
	// Loaded only where it is used: agents call the other commands often.
	const [{ Collector }, { allDrivers }] = await Promise.all([
		import('../../core/live/collector.ts'),
		import('../../drivers/index.ts'),
	]);
	const collector = new Collector(workspace, allDrivers);
	try {
		return await work(async () => {
			await collector.collect();
		});
	} finally {
		await collector.close();
	}
}
