import type { Driver } from '../../core/driver/driver.ts';
import { SERVERS } from '../../protocol/agentServer.ts';
import { DriverId } from '../../protocol/names.ts';
import { serverDriver } from './server.ts';

/** More names than users have. Who writes below a workspace can name any number of agents there. */
const MOST_KEPT = 100;
const kept = new Map<string, Driver>();

/** The same one each time: it is asked for with every event. */
function namedBy(name: string): Driver {
	const driver = kept.get(name) ?? serverDriver(name);
	if (kept.size >= MOST_KEPT) kept.clear();
	kept.set(name, driver);
	return driver;
}

/** For those that read what such agents have told. No agent has this id. */
export const acp: Driver = { ...serverDriver('any'), id: DriverId.parse(SERVERS), namedBy };
