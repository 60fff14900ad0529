import type { Driver } from '../../core/driver/driver.ts';
import { SERVERS } from '../../protocol/agentServer.ts';
import { DriverId } from '../../protocol/names.ts';
import { serverDriver } from './server.ts';

/** For those that read what such agents have told. No agent has this id. */
export const acp: Driver = { ...serverDriver('any'), id: DriverId.parse(SERVERS), namedBy: name => serverDriver(name) };
