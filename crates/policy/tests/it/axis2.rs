//! Axis2's parameters, read and written as the short form.

use bartizan_policy::{Options, load};

const CLIENT: &str = r#"<axisconfig name="AxisJava2.0"><parameter name="hotdeployment">true</parameter>
<parameter name="OutflowSecurity"><action><items>UsernameToken Encrypt Timestamp</items><user>alice</user>
<passwordType>PasswordText</passwordType><addUTElements>Nonce Created</addUTElements>
<encryptionParts>{Element}{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd}UsernameToken</encryptionParts>
<encryptionPropFile>client.properties</encryptionPropFile></action></parameter></axisconfig>"#;

#[test]
fn the_outflow_of_a_client_is_the_scenario_that_it_is() {
    let loaded = load(CLIENT.as_bytes().to_vec(), "axis2.xml");
    assert!(loaded.diagnostics().is_empty(), "{:?}", loaded.diagnostics());
    let item = loaded.only().expect("one");
    let codes: Vec<_> = item.diagnostics().iter().map(|one| one.code()).collect();
    assert_eq!(codes, ["said_elsewhere", "said_elsewhere", "one_sided"]);
    assert!(item.diagnostics().iter().all(|one| one.position.is_some()));
    // Written as TOML it says in so many words that the reply is open.
    let toml = item.to_toml().expect("actions");
    let again = load(toml.clone().into_bytes(), "a.toml");
    let plans = again.only().expect("one").plans(&Options::default()).expect(&toml);
    let theirs = bartizan_policy::builtin::builtin("scenario:unt3").expect("built in");
    let theirs = theirs.only().expect("one").plans(&Options::default()).expect("compiles");
    assert_eq!(
        format!("{:#?}", plans.initiator.outbound()),
        format!("{:#?}", theirs.initiator.outbound()),
        "{toml}"
    );
    // What is written once is written the same again.
    assert_eq!(again.only().expect("one").to_toml().as_deref(), Some(&*toml));
}

#[test]
fn a_service_demands_its_inflow_of_the_request() {
    let service = CLIENT.replace("axisconfig", "service").replace("OutflowSecurity", "InflowSecurity");
    let loaded = load(service.into_bytes(), "services.xml");
    let item = loaded.only().expect("one");
    assert!(item.blocks().0.is_some_and(|block| block.has_username()) && item.blocks().1.is_none());
}

#[test]
fn a_second_action_is_named_as_not_built() {
    let twice = CLIENT.replace("</action>", "</action><action><items>Timestamp</items></action>");
    let loaded = load(twice.into_bytes(), "axis2.xml");
    let errors = loaded.only().expect("one").compile(&Options::default()).expect_err("two headers");
    assert_eq!(errors[0].code(), "not_compiled");
}
