import type { Delegate } from '../../src/core/delegates/delegate.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { queueDelegate, type FullRequest } from '../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { OwnFolder } from '../../src/core/files/ownFolder.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { fakeDriver } from './fakeDriver.ts';
import { tempFolder } from './tempFolder.ts';

/** A temporary folder with a project whose work is delegated, and the user's tickets beside it. */
export class DelegateRoom {
	readonly folder = tempFolder();
	readonly workspace = new Workspace(this.folder.file('project'), this.folder.file('data'));
	readonly delegates = new Delegates(this.workspace);
	readonly tickets = new Tickets(this.folder.file('data'), this.workspace.folder);

	/** Where the tickets are, by id. */
	readonly ticketFolder = new OwnFolder(this.folder.file('data'), this.workspace.folder).path('delegates');

	queue(more: Partial<FullRequest> = {}): Promise<Delegate> {
		return queueDelegate(this.delegates, this.tickets, IN_TERMINAL, {
			prompt: 'Write the tests.\nAll of them.',
			agent: fakeDriver.id,
			permissions: 'default',
			folder: this.workspace.folder,
			...more,
		});
	}
}
