//! Action blocks in the XML of other stacks: Axis2's parameters and Spring's interceptor, read and written as the short form.

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
fn a_receiver_that_does_not_say_what_it_wants_is_told_what_is_demanded() {
    let said = |settings: &str| {
        let service = format!(
            "<service><parameter name=\"InflowSecurity\"><action><items>UsernameTokenSignature UsernameToken Encrypt Timestamp</items>{settings}\
             </action></parameter></service>"
        );
        let loaded = load(service.into_bytes(), "services.xml");
        let found = loaded.only().expect("one").diagnostics();
        found.iter().find(|one| one.code() == "receiver_silent").map(|one| one.problem.to_string())
    };
    let all = said("").expect("a warning");
    assert!(all.contains("`signatureParts` and `encryptionParts` and `passwordType`"), "{all}");
    let parts = "<signatureParts>Body</signatureParts><encryptionParts>Body</encryptionParts>";
    assert!(said(parts).expect("a warning").contains("without `passwordType`"));
    assert_eq!(said(&format!("{parts}<passwordType>PasswordText</passwordType>")), None);
    assert_eq!(said(&format!("{parts}<useDerivedKey>true</useDerivedKey>")), None);
}

#[test]
fn one_side_alone_is_written_with_the_other_left_open_on_purpose() {
    let loaded = load(CLIENT.as_bytes().to_vec(), "axis2.xml");
    let toml = loaded.only().expect("one").to_toml().expect("actions");
    assert!(toml.ends_with(".reply]\nactions = \"NoSecurity\"\n"), "{toml}");
    let again = load(toml.clone().into_bytes(), "a.toml");
    assert!(again.only().expect("one").check(&Options::default()).is_empty(), "{toml}");
}

const BEAN: &str = r#"<beans xmlns="http://www.springframework.org/schema/beans"><bean id="other" class="org.example.Other"/>
<bean id="security" class="org.springframework.ws.soap.security.wss4j2.Wss4jSecurityInterceptor">
<property name="validationActions" value="UsernameToken Timestamp"/><property name="securementPasswordType"><value>PasswordText</value></property>
<property name="validationCallbackHandler"><ref bean="handler"/></property><property name="securementActions" value="Timestamp"/></bean></beans>"#;

#[test]
fn an_interceptor_of_spring_is_the_block_of_its_properties() {
    let loaded = load(BEAN.as_bytes().to_vec(), "context.xml");
    assert!(loaded.diagnostics().is_empty(), "{:?}", loaded.diagnostics());
    let item = loaded.only().expect("one");
    assert_eq!(item.name(), Some("security"));
    let toml = item.to_toml().expect("actions");
    assert!(toml.contains("[policy.security.request]\nactions = \"UsernameToken Timestamp\"\n"), "{toml}");
    assert!(toml.contains("[policy.security.reply]\nactions = \"Timestamp\"\n"), "{toml}");
    // A client's puts on the request what it secures.
    let client = BEAN.replace("validationActions", "unsaid").replace(
        "name=\"unsaid\" value=\"UsernameToken Timestamp\"",
        "name=\"securementUsername\" value=\"a\"",
    );
    let loaded = load(client.into_bytes(), "context.xml");
    let item = loaded.only().expect("one");
    assert_eq!(item.blocks().0.and_then(|block| block.get("actions")), Some("Timestamp"));
    assert!(item.blocks().1.is_none());
}

#[test]
fn a_second_action_is_named_as_not_built() {
    let twice = CLIENT.replace("</action>", "</action><action><items>Timestamp</items></action>");
    let loaded = load(twice.into_bytes(), "axis2.xml");
    let errors = loaded.only().expect("one").compile(&Options::default()).expect_err("two headers");
    assert_eq!(errors[0].code(), "not_compiled");
}

#[test]
fn a_line_with_a_password_is_not_shown() {
    for (name, shown) in
        [("securementPassword", false), ("securementPasswrd", false), ("securementPasswordType", true)]
    {
        let bean = BEAN.replace(
            "\"securementPasswordType\"><value>PasswordText</value>",
            &format!("\"{name}\"><value>canary</value>"),
        );
        let loaded = load(bean.into_bytes(), "context.xml");
        let item = loaded.only().expect("one");
        let found = item.check(&Options::default());
        assert!(!found.is_empty());
        let rendered: Vec<String> =
            found.iter().map(|one| one.render("context.xml", loaded.source())).collect();
        assert_eq!(found.iter().all(|one| one.shows_its_line(loaded.source())), shown, "{name}");
        assert!(!rendered.concat().contains("canary"), "{rendered:?}");
    }
    let toml = "[policy.x]\nsecurementActions = \"Timestamp\"\nsecurementPassword = \"canary\"\n";
    let loaded = load(toml.as_bytes().to_vec(), "x.toml");
    let found = loaded.only().expect("one").check(&Options::default());
    assert!(!found.is_empty() && found.iter().all(|one| !one.render("x.toml", toml).contains("canary")));
}
