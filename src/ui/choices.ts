import { Emitter } from '../base/event.ts';

/** What the user has chosen to see, for as long as the window lives. */
export class Choices {
	private readonly _onDidChange = new Emitter<void>();
	readonly onDidChange = this._onDidChange.event;
	private archived = false;

	get showsArchived(): boolean {
		return this.archived;
	}

	set showsArchived(shows: boolean) {
		this.archived = shows;
		this._onDidChange.fire();
	}
}
