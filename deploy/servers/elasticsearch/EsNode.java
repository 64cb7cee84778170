// A test tool: it runs a real Elasticsearch node from the jars on Maven Central,
// so that tests need no container and no distribution archive. It is no part of
// freshet, and nothing of it or of the jars is shipped. It lives in a package of
// the server because NodeConstruction and NodeServiceProvider are visible only
// there. Made for 8.18 and 8.19; other versions have other internals.
package org.elasticsearch.node;

import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.env.Environment;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.index.IndexVersion;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.PluginDescriptor;
import org.elasticsearch.plugins.PluginsLoader;
import org.elasticsearch.plugins.PluginsService;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.transport.netty4.Netty4Plugin;
import org.elasticsearch.xcontent.XContentBuilder;

/** One node on the loopback address. Arguments: its folder, then settings as key=value. SIGTERM stops it cleanly. */
public final class EsNode {
    public static void main(String[] args) throws Exception {
        Path home = Path.of(args[0]).toAbsolutePath();
        Settings.Builder settings = Settings.builder()
            .put("path.home", home.toString())
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            // A nearly full disk of the machine is not what a test is about.
            .put("cluster.routing.allocation.disk.threshold_enabled", false);
        for (String argument : List.of(args).subList(1, args.length)) {
            int equals = argument.indexOf('=');
            settings.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        LogConfigurator.configureESLogging();
        Environment environment = InternalSettingsPreparer.prepareEnvironment(
            settings.build(), Map.of(), home.resolve("config"), () -> "test");
        // The last argument matters: without it the loader looks for Java modules, and jars on the class path are none.
        PluginsLoader none = PluginsLoader.createPluginsLoader(Set.of(), Set.of(), Map.of(), false);
        Node node = new Node(NodeConstruction.prepareConstruction(environment, none, new NodeServiceProvider() {
            @Override
            PluginsService newPluginService(Environment e, PluginsLoader loader) {
                return new ClassPathPlugins(e, loader);
            }
        }, true));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.prepareForClose();
                node.close();
                node.awaitClose(10, TimeUnit.SECONDS);
            } catch (Exception e) {
                e.printStackTrace();
            }
        }));
        node.start();
        new CountDownLatch(1).await();
    }

    /** Takes plugins from the class path; a distribution has them in modules/ and plugins/. */
    static final class ClassPathPlugins extends PluginsService {
        private final List<Object> loaded = new ArrayList<>();

        ClassPathPlugins(Environment environment, PluginsLoader loader) {
            super(environment.settings(), environment.configDir(), loader);
            for (Plugin plugin : List.of(new Netty4Plugin(), new Root())) {
                loaded.add(describe(plugin));
            }
        }

        private static Object describe(Plugin plugin) {
            String name = plugin.getClass().getName();
            PluginDescriptor descriptor = new PluginDescriptor(name, "from the class path", "NA",
                Build.current().version(), "17", name, null, List.of(), false, false, false, false);
            try {
                Constructor<?> make = Class.forName("org.elasticsearch.plugins.PluginsService$LoadedPlugin")
                    .getDeclaredConstructor(PluginDescriptor.class, Plugin.class, ClassLoader.class);
                make.setAccessible(true);
                return make.newInstance(descriptor, plugin, EsNode.class.getClassLoader());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        @SuppressWarnings({ "rawtypes", "unchecked" })
        protected List plugins() { // raw, since LoadedPlugin is private to its package; called before loaded is set
            return loaded == null ? List.of() : loaded;
        }
    }

    /** GET and HEAD /. A distribution has them from its module rest-root, which is not on Maven Central. */
    static final class Root extends Plugin implements ActionPlugin {
        private ClusterService cluster;

        @Override
        public Collection<?> createComponents(PluginServices services) {
            cluster = services.clusterService();
            return List.of();
        }

        @Override
        public Collection<RestHandler> getRestHandlers(Settings settings, NamedWriteableRegistry registry, RestController controller,
            ClusterSettings clusterSettings, IndexScopedSettings indexSettings, SettingsFilter filter,
            IndexNameExpressionResolver resolver, Supplier<DiscoveryNodes> nodes, Predicate<NodeFeature> features) {
            return List.of(new BaseRestHandler() {
                @Override
                public String getName() {
                    return "root";
                }

                @Override
                public List<Route> routes() {
                    return List.of(new Route(RestRequest.Method.GET, "/"), new Route(RestRequest.Method.HEAD, "/"));
                }

                @Override
                protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
                    return channel -> channel.sendResponse(new RestResponse(RestStatus.OK, describe(channel.newBuilder())));
                }
            });
        }

        private XContentBuilder describe(XContentBuilder x) throws java.io.IOException {
            Build build = Build.current();
            x.prettyPrint().startObject();
            x.field("name", Node.NODE_NAME_SETTING.get(cluster.getSettings()));
            x.field("cluster_name", cluster.getClusterName().value());
            x.field("cluster_uuid", cluster.state().metadata().clusterUUID());
            x.startObject("version");
            x.field("number", build.qualifiedVersion());
            x.field("build_flavor", build.flavor());
            x.field("build_type", build.type().displayName());
            x.field("build_hash", build.hash());
            x.field("build_date", build.date());
            x.field("build_snapshot", build.isSnapshot());
            x.field("lucene_version", IndexVersion.current().luceneVersion().toString());
            x.field("minimum_wire_compatibility_version", build.minWireCompatVersion());
            x.field("minimum_index_compatibility_version", build.minIndexCompatVersion());
            x.endObject();
            return x.field("tagline", "You Know, for Search").endObject();
        }
    }
}
