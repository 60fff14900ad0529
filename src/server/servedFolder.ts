import type { Human } from '../core/asker/asker.ts';
import type { DeskSource } from '../core/live/deskView.ts';
import type { OperationContext } from '../operations/operation.ts';

/** A folder whose desk is served. */
export interface ServedFolder {
	readonly source: DeskSource;
	readonly context: OperationContext;
	/** Looks at the disk now, so that every page sees what one has just done. */
	readonly refresh: () => Promise<void>;
}

/** The person at a device. */
export function at(device: string): Human {
	return { is: 'human', via: 'page', device };
}
